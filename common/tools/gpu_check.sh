#!/usr/bin/env bash
# Everything that needs the GPU, in pieces, under ten minutes together: the GPU tests, compute-sanitizer over
# small problems, a soak over random shapes, a look at the machine code, and what needs a compiler: the compile
# gates, copies and the PyTorch operator. All but the last take programs that were built elsewhere.
#
#   gpu_check.sh BUILD_DIR [SOAK_SHAPES] [tests|sanitizers|soak|sass|builds]...
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
build=$1 soak=${2:-120} pieces=("${@:3}")
[ $# -gt 2 ] || pieces=(tests sanitizers soak sass builds)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
step() { # step NAME COMMAND...: runs it quietly, shows its output only when it fails
  local log begin=$SECONDS status=0
  log=$(mktemp -p "$logs")
  "${@:2}" >"$log" 2>&1 || status=$?
  case $status in
    0) echo "ok    $1 ($((SECONDS - begin)) s): $(tail -n 1 "$log" | cut -c1-110)" ;;
    77) echo "skip  $1: $(tail -n 1 "$log" | cut -c1-110)" ;;
    *) echo "FAIL  $1: exit status $status" | tee -a "$logs/failed" && tail -n 40 "$log" ;;
  esac
}
beside() { # the same beside others: sanitizers wait for the GPU and for the CPU in turn
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  step "$@" &
}

nvidia-smi -L 2>/dev/null | grep -q GPU || { echo "gpu-check: no GPU on this machine" >&2 && exit 2; }
[ -x "$build/bin/bench" ] || { echo "gpu-check: $build holds no program for a GPU" >&2 && exit 2; }

check_tests() {
  for test in "$build"/tests/*_{cuda,gpu}_test; do
    if [ -x "$test" ]; then step "${test##*/}" "$test"; fi
  done
  step "programs" python3 common/harness/tests/programs_test.py "$build" gpu
}
check_sanitizers() {
  for test in $(compgen -G "$build/tests/*_cuda_test" | grep -v /intrinsics_); do
    only=problems # no library kernels beside ours
    if [[ $test == */gallery_* ]]; then only=; fi
    for tool in memcheck racecheck synccheck; do
      beside "$tool ${test##*/}" compute-sanitizer --tool $tool --error-exitcode 1 "$test" $only
    done
  done
}
shapes() { # shapes COUNT UNIT: extents are multiples of the unit, mostly small, sometimes up to 1200
  printf ,%dx%dx%d $(
    RANDOM=20261
    for _ in $(seq $((3 * $1))); do echo $(($2 * (1 + RANDOM % (RANDOM % 4 ? 200 : 1200)))); done
  ) | cut -c2-
}
check_soak() {
  for dtype in bf16 fp16; do
    step "soak, $soak random shapes, $dtype" \
      "$build/bin/bench" --check --variant all --dtype $dtype --shape "$(shapes "$soak" 1)"
  done
  # An aside called by its name ends with what TMA cannot take: extents that it can.
  list=$(shapes $((soak / 6 + 1)) 8)
  for name in $(basename -a $(dirname [0-9][0-9]_*/*/chapter.cu)); do
    [ "$name" != n_major ] && layout=tn || layout=tt
    step "soak, $name" "$build/bin/$name" --check --variant all --layout $layout --shape "$list"
  done
  step "long and thin" "$build/bin/bench" --check \
    --shape 1x1x8,127x129x72,64x16384x8192,16384x64x8192,128x8192x8192
}
# Tensor cores where a chapter says so, in the code of its own kernels: the harness's probes use every unit.
sass() { # sass FOLDER
  local unit=HGMMA
  if grep -q Ceiling::kMmaSync "$1/chapter.cu"; then unit=HMMA; fi
  if grep -q Ceiling::kFfma "$1/chapter.cu"; then unit=FFMA; fi
  cuobjdump -sass "$build/bin/${1##*/}" | awk '/Function :/ { ours = !/7harness/ } ours' | grep -cw "$unit"
}
check_sass() {
  for folder in $(dirname [0-9][0-9]_*/chapter.cu [0-9][0-9]_*/*/chapter.cu); do
    if [ -x "$build/bin/${folder##*/}" ]; then beside "SASS ${folder##*/}" sass "$folder"; fi
  done
}
check_builds() {
  step "no spills, no serialised wgmma" ctest --test-dir "$build" -R compile_gate --output-on-failure
  for copied in $(dirname [0-9][0-9]_*/copy.cuh); do
    beside "a copy of $copied" common/copy/copy_test.sh "${CXX:-c++}" "$(command -v nvcc)" "$copied"
  done
  step "the PyTorch operator" common/tools/pytorch.sh "$build"
}
declare -A needs=([sanitizers]=compute-sanitizer [sass]=cuobjdump [builds]=nvcc)
for piece in "${pieces[@]}"; do
  declare -F "check_$piece" >/dev/null || { echo "gpu-check: there is no piece '$piece'" >&2 && exit 2; }
  if command -v "${needs[$piece]-nvidia-smi}" >/dev/null; then
    "check_$piece"
    wait
  else
    echo "skip  $piece: ${needs[$piece]} is not on PATH"
  fi
done

[ ! -s "$logs/failed" ] || { echo "gpu-check: $(wc -l <"$logs/failed") failed" && exit 1; }
echo "gpu-check: all passed"
