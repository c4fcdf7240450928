#!/usr/bin/env bash
# Everything that needs the GPU, in pieces, under ten minutes together: the GPU tests, compute-sanitizer's
# memcheck, racecheck and synccheck over small problems, a soak over random shapes, a look at the machine
# code, and what is built to be tested: copies and the PyTorch operator. All but the last take programs
# that were built elsewhere.
#
#   gpu_check.sh BUILD_DIR [SOAK_SHAPES] [tests|sanitizers|soak|sass|builds]...
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
build=$1 soak=${2:-120}
shift $(($# < 2 ? $# : 2))
pieces=" ${*:-tests sanitizers soak sass builds} "
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
step() { # step NAME COMMAND...: runs it quietly, shows its output only when it fails
  local name=$1 log begin=$SECONDS status=0
  shift
  log=$(mktemp -p "$logs")
  "$@" >"$log" 2>&1 || status=$?
  case $status in
    0) echo "ok    $name ($((SECONDS - begin)) s): $(tail -n 1 "$log" | cut -c1-110)" ;;
    77) echo "skip  $name: $(tail -n 1 "$log" | cut -c1-110)" ;;
    *)
      echo "FAIL  $name: exit status $status"
      tail -n 40 "$log"
      echo "$name" >>"$logs/failed"
      ;;
  esac
}
# The same beside others, as many as there are cores for: sanitizers wait for the GPU and for the
# CPU in turn.
beside() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  step "$@" &
}
wanted() { [[ $pieces == *" $1 "* ]]; }

if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "gpu-check: no GPU on this machine" >&2
  exit 2
fi
# Chapters and asides by folder, as far as they are part of this build.
folders=()
for file in [0-9][0-9]_*/chapter.cu [0-9][0-9]_*/*/chapter.cu; do
  folder=$(dirname "$file")
  if [ -x "$build/bin/$(basename "$folder")" ]; then folders+=("$folder"); fi
done
[ ${#folders[@]} -gt 0 ] || { echo "gpu-check: $build holds no program for a GPU" >&2; exit 2; }

if wanted tests; then
  for test in "$build"/tests/*_cuda_test "$build"/tests/*_gpu_test; do
    if [ -x "$test" ]; then step "$(basename "$test")" "$test"; fi
  done
fi

if wanted sanitizers && command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck; do
    for folder in "${folders[@]}"; do
      # The contract tests at small sizes: no library kernels beside ours.
      beside "$tool $folder" compute-sanitizer --tool $tool --error-exitcode 1 \
        "$build/tests/$(basename "$folder")_cuda_test" \
        square,ragged,tiny,skinny,deep,empty,strided,misaligned
    done
    beside "$tool gallery" compute-sanitizer --tool $tool --error-exitcode 1 \
      "$build/tests/gallery_cuda_test"
  done
  wait
elif wanted sanitizers; then
  echo "skip  sanitizers: compute-sanitizer is not on PATH"
fi

RANDOM=20261
size() { # mostly small, sometimes up to 1200
  if [ $((RANDOM % 4)) = 0 ]; then echo $((RANDOM % 1200 + 1)); else echo $((RANDOM % 200 + 1)); fi
}
shapes() { # shapes COUNT UNIT: extents are multiples of the unit
  local list="" i
  for ((i = 0; i < $1; ++i)); do
    list+=",$(($(size) * $2))x$(($(size) * $2))x$(($(size) * $2))"
  done
  echo "${list#,}"
}
if wanted soak; then
  list=$(shapes "$soak" 1)
  for dtype in bf16 fp16; do
    step "soak, $soak random shapes, $dtype" \
      "$build/bin/bench" --check --variant all --dtype $dtype --shape "$list"
  done
  # An aside called by its name ends with what TMA cannot take: extents that it can.
  list=$(shapes $((soak / 6 + 1)) 8)
  for folder in "${folders[@]}"; do
    name=$(basename "$folder") layout=tn
    if [ "$name" = n_major ]; then layout=tt; fi
    if [[ $folder == */* ]]; then
      step "soak, $name" "$build/bin/$name" --check --variant all --layout $layout --shape "$list"
    fi
  done
  step "long and thin" "$build/bin/bench" --check \
    --shape 1x1x8,127x129x72,64x16384x8192,16384x64x8192,128x8192x8192
fi

# Machine code: no kernel keeps variables in local memory; tensor cores where a chapter says so.
sass() { # sass FOLDER: of the chapter's own kernels; the harness's probes use every unit
  local code unit
  code=$(cuobjdump -sass "$build/bin/$(basename "$1")" |
    awk '/Function :/ { ours = !/7harness/ } ours') || return 1
  if grep -qE '\s(LDL|STL)[ .]' <<<"$code"; then echo "uses local memory"; return 1; fi
  case $(sed -nE 's/.*Ceiling::k(\w+).*/\1/p' "$1"/*.cu | head -n 1) in
    Ffma) unit=FFMA ;;
    MmaSync) unit=HMMA ;;
    *) unit=HGMMA ;;
  esac
  grep -qE "\b$unit\b" <<<"$code" || { echo "no $unit"; return 1; }
  echo "no local memory, and $unit"
}
if wanted sass && command -v cuobjdump >/dev/null; then
  for folder in "${folders[@]}"; do beside "SASS $folder" sass "$folder"; done
  wait
elif wanted sass; then
  echo "skip  SASS: cuobjdump is not on PATH"
fi

if wanted builds; then
  if command -v nvcc >/dev/null; then
    step "copies of all chapters" common/copy/copy_test.sh "${CXX:-c++}" "$(command -v nvcc)" all
  else
    echo "skip  copies: nvcc is not on PATH"
  fi
  step "the PyTorch operator" common/tools/pytorch.sh "$build"
fi

if [ -s "$logs/failed" ]; then
  echo "gpu-check: $(wc -l <"$logs/failed") failed"
  exit 1
fi
echo "gpu-check: all passed"
