#!/usr/bin/env bash
# How programs end when the machine fails them: one line, the right exit status, no file half written.
#
#   hard_times_test.sh host BIN_DIR TESTS_DIR      a full disk, an interrupt, no memory
#   hard_times_test.sh gpu PROGRAM                 a lost device; PROGRAM is harness_lost
set -u
kind=$1
shift
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

host() {
  local bin tests program traced long signal delay status
  bin=$(cd "$1" && pwd) && tests=$(cd "$2" && pwd) || exit 2
  for program in "$bin/bench_cpu --list" "$bin/01_naive_cpu --help" "$bin/gallery --list" \
    "$bin/layout (4,4)" "$bin/layout --help" "$bin/01_naive_cpu --check --size 16"; do
    # What is printed is not lost without a word.
    ends 2 "standard output cannot be written" $program >/dev/full
  done

  traced="$tests/harness_fakes_traced --counters --chapter 01_fake --variant right --size 16"
  ends 2 "--json /dev/full: cannot be written (No space left on device)" $traced --json /dev/full >/dev/null
  ends 2 "--svg /dev/full: cannot be written" "$bin/layout" "(4,4)" --svg /dev/full >/dev/null

  # An interrupt in the middle of counting: the file is as it was.
  long="$tests/harness_fakes_traced --counters --chapter 01_fake --variant right --size 1500"
  echo old >"$work/run.json"
  for signal in INT TERM; do
    for delay in 0.5 3 9; do # a busy machine may not have got to main() yet
      timeout --preserve-status -s $signal $delay $long --json "$work/run.json" \
        >/dev/null 2>"$work/err" </dev/null
      status=$?
      [ ! -s "$work/err" ] || break
    done
    [ $status = $((128 + $(kill -l $signal))) ] &&
      [ "$(cat "$work/err")" = "harness_fakes_traced: interrupted" ] ||
      fail "interrupted by $signal: status $status, $(head -n 5 "$work/err")"
  done
  [ "$(cat "$work/run.json")" = old ] && [ "$(ls "$work" | grep -c run.json)" = 1 ] ||
    fail "an interrupted run changed its file: $(ls "$work")"

  # No memory, noticed at one place or another. (Sanitizers take terabytes of addresses.)
  if ! grep -qa __asan_init "$bin/bench_cpu"; then
    for kilobytes in 60000 120000 180000; do
      (ulimit -v $kilobytes
       ends 3 memory "$tests/harness_fake_cpu" --check --shape 8192x8192x8 >/dev/null
       exit $failed) || failed=1
    done
  fi
}

gpu() {
  local program=$1 variant text
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
trap|cudaError
launch|cudaErrorInvalid
greedy|cudaErrorMemoryAllocation
VARIANTS
  # More than the device has is refused before anything is allocated.
  ends 2 "the device has" "$program" --check --size 300000 >/dev/null
}

$kind "$@"
[ $failed = 0 ] && echo "one line and the right status every time"
exit $failed
