#!/usr/bin/env bash
# Everything that needs the GPU: the GPU tests, compute-sanitizer's memcheck, racecheck and synccheck
# over small problems, a soak over random shapes, and a look at the machine code. Under ten minutes.
#
#   gpu_check.sh BUILD_DIR [SOAK_SHAPES]
set -u -o pipefail
build=$1 soak=${2:-120}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
step() { # step NAME COMMAND...: runs it quietly, shows its output only when it fails
  local name=$1 log begin=$SECONDS
  shift
  log=$(mktemp -p "$logs")
  if "$@" >"$log" 2>&1; then
    echo "ok    $name ($((SECONDS - begin)) s): $(tail -n 1 "$log" | cut -c1-110)"
  else
    echo "FAIL  $name"
    tail -n 40 "$log"
    echo "$name" >>"$logs/failed"
  fi
}
# The same beside others, as many as there are cores for: sanitizers wait for the GPU and for the
# CPU in turn.
beside() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  step "$@" &
}

if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "gpu-check: no GPU on this machine" >&2
  exit 2
fi
chapters=$(cd "$build/bin" && ls | grep -E '^[0-9]{2}_[a-z_]+$' | grep -vE '_(cpu|traced)$')

step "GPU tests" ctest --test-dir "$build" -L gpu --output-on-failure --no-tests=error

if command -v compute-sanitizer >/dev/null; then
  for chapter in $chapters; do
    for tool in memcheck racecheck synccheck; do
      # The contract tests at small sizes: no library kernels beside ours.
      beside "$tool $chapter" compute-sanitizer --tool $tool --error-exitcode 1 \
        "$build/tests/${chapter}_cuda_test" square,ragged,tiny,skinny,deep,empty,strided,misaligned
    done
  done
  for tool in memcheck racecheck synccheck; do
    beside "$tool gallery" compute-sanitizer --tool $tool --error-exitcode 1 \
      "$build/tests/gallery_cuda_test"
  done
  wait
else
  echo "skip  sanitizers: compute-sanitizer is not on PATH"
fi

step "copies of all chapters" \
  "$(dirname "$0")/../copy/copy_test.sh" "${CXX:-c++}" "$(command -v nvcc)" all

shapes=""
RANDOM=20261
size() { # mostly small, sometimes up to 1200
  if [ $((RANDOM % 4)) = 0 ]; then echo $((RANDOM % 1200 + 1)); else echo $((RANDOM % 200 + 1)); fi
}
for ((i = 0; i < soak; ++i)); do shapes+=",$(size)x$(size)x$(size)"; done
for dtype in bf16 fp16; do
  step "soak, $soak random shapes, $dtype" \
    "$build/bin/bench" --check --variant all --dtype $dtype --shape "${shapes#,}"
done

step "long and thin" "$build/bin/bench" --check \
  --shape 1x1x8,127x129x72,64x16384x8192,16384x64x8192,128x8192x8192

# Machine code: no kernel keeps variables in local memory; tensor cores where a chapter says so.
sass() {
  local code
  # The chapter's own object: the program also holds the harness's probes, which use every unit.
  code=$(cuobjdump -sass "$build/$1/CMakeFiles/${1}_cuda_objects.dir/chapter.cu.o") || return 1
  if grep -qE '\s(LDL|STL)[ .]' <<<"$code"; then echo "$1 uses local memory"; return 1; fi
  case $1 in
    01_* | 02_* | 03_*) grep -q FFMA <<<"$code" || { echo "$1 has no FFMA"; return 1; } ;;
    04_* | 05_*) grep -q HMMA <<<"$code" || { echo "$1 has no HMMA"; return 1; } ;;
    *) grep -q HGMMA <<<"$code" || { echo "$1 has no HGMMA"; return 1; } ;;
  esac
  echo "no local memory, the instructions expected"
}
if command -v cuobjdump >/dev/null; then
  for chapter in $chapters; do step "SASS $chapter" sass "$chapter"; done
else
  echo "skip  SASS: cuobjdump is not on PATH"
fi

if [ -s "$logs/failed" ]; then
  echo "gpu-check: $(wc -l <"$logs/failed") failed"
  exit 1
fi
echo "gpu-check: all passed"
