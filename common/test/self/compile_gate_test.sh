#!/usr/bin/env bash
# The compile gate refuses a kernel that spills, whether it compiles the kernel itself or is given the
# report of the build.
#
#   compile_gate_test.sh NVCC COMMON_DIR
set -u
nvcc=$1 common=$2
self=$common/test/self
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
expect() { # expect STATUS PATTERN REPORT ARCH...: of the gate
  local status=$1 pattern=$2 said
  shift 2
  said=$("$common/test/compile_gate.sh" "$nvcc" "$common" "$self/spilling_kernel.cu" "$@")
  if [ $? -ne "$status" ] || ! grep -qE "$pattern" <<<"$said"; then
    printf 'expected status %s and "%s" from %s, but:\n%s\n' "$status" "$pattern" "$*" "$said"
    failed=1
  fi
}
spills='spilling_kernel.* spill stores'
expect 1 "sm_80: $spills" "$work/none" 80 90a
expect 1 "sm_90a: $spills" "$work/none" 80 90a

"$common/test/keep_report.sh" "$work/report" "$nvcc" -std=c++20 --expt-relaxed-constexpr -I"$common" \
  -I"$common/cuda" -Xptxas=-v -gencode=arch=compute_90a,code=sm_90a -c "$self/spilling_kernel.cu" \
  -o "$work/object" 2>"$work/passed_on" || { echo "keep_report.sh failed"; failed=1; }
if [ -s "$work/passed_on" ]; then
  echo "keep_report.sh passed on:"
  cat "$work/passed_on"
  failed=1
fi
sed -i 's/spilling_kernel/from_the_build/' "$work/report"
expect 1 'from_the_build.* spill stores' "$work/report" 90a

touch -d 2000-01-01 "$work/report"
expect 1 "sm_90a: $spills" "$work/report" 90a # too old to be believed
touch "$work/report"

# A report without fault is believed; a warning in it is one.
sed -i -E 's/[0-9]+ bytes/0 bytes/g' "$work/report"
expect 0 'sm_90a: [1-9][0-9]* kernels, at most [0-9]+ registers' "$work/report" 90a
echo 'warning: something' >>"$work/report"
expect 1 'something' "$work/report" 90a

"$common/test/keep_report.sh" "$work/report" sh -c 'echo lost >&2; exit 7' 2>"$work/passed_on"
if [ $? -ne 7 ] || ! grep -q lost "$work/passed_on"; then
  echo "keep_report.sh hides a failure"
  failed=1
fi
exit $failed
