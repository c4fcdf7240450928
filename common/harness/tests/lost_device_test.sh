#!/usr/bin/env bash
# How a program ends when its device is lost: one line, the right exit status, no result file.
#
#   lost_device_test.sh PROGRAM      harness_lost
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "FAIL  $*" >&2
  failed=1
}

# ends STATUS TEXT COMMAND...: with that status and one line on standard error that holds the text
ends() {
  local wanted=$1 text=$2 status
  shift 2
  "$@" 2>"$work/err" </dev/null
  status=$?
  if [ $status != "$wanted" ] || [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF -- "$text" "$work/err"; then
    fail "$*: status $status, expected $wanted and one line with '$text':"
    head -n 20 "$work/err" >&2
  fi
}

if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "skipped: no GPU"
  exit 77
fi
"$program" --check --size 64 >/dev/null || fail "the right variant"
while IFS='|' read -r variant text; do
  if [ "$variant" != illegal_later ]; then # where nothing fails until it is timed
    ends 3 "$text" "$program" --check --size 64 --variant "$variant" >/dev/null
    ends 3 "$text" "$program" --check --size 64 --variant right --variant "$variant" >/dev/null
  fi
  ends 3 "$text" timeout 60 "$program" --bench --size 64 --variant "$variant" --rounds 1 \
    --json "$work/run.json" >/dev/null
  [ ! -e "$work/run.json" ] || fail "a result file of a lost device"
done <<'VARIANTS'
illegal|cudaErrorIllegalAddress
illegal_later|cudaErrorIllegalAddress
launch|cudaErrorInvalid
VARIANTS
# More than the device has is refused before anything is allocated.
ends 2 "the device has" "$program" --check --size 300000 >/dev/null
[ $failed = 0 ] && echo "one line and the right status every time"
exit $failed
