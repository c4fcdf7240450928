#!/usr/bin/env bash
# What `make copy` gives, and what it refuses. Of a chapter a file, which NVCC compiles as README.md says for
# each of its GPUs, and a project for the CPU backend: both are right. Of every_shape a project that CMake takes.
#
#   copy_test.sh CXX [NVCC [CHAPTER...]]      without chapters: the first, one for sm_80 and the last
set -u
export CXX=$1
nvcc=${2-} chapters=("${@:3}")
cd "$(dirname "$0")/../.." || exit 1
if [ $# -le 2 ]; then
  all=($(dirname [0-9][0-9]_*/copy.cuh))
  chapters=("${all[0]}" "${all[4]}" "${all[-1]}")
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dest="$work/my gemm" build="$work/build" # one build folder: files keep their times, the runtime is built once
try() { # try WHAT COMMAND...
  "${@:2}" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && echo "$1" && exit 1; }
}
expect() { # expect STATUS TEXT COMMAND...: a last line that holds the text; one line where it fails
  local printed status=0
  printed=$(timeout 60 "${@:3}" 2>&1) || status=$?
  [ $status = "$1" ] && [[ ${printed##*$'\n'} == *"$2"* ]] && [ "$1" = 0 -o "$(wc -l <<<"$printed")" = 1 ] ||
    { echo "${*:3}: status $status, expected $1 and '$2': $printed" && exit 1; }
}
expect 2 usage common/tools/copy.sh 09_hilbert_schedule
expect 2 "no copy.cuh" common/tools/copy.sh common "$dest"
expect 2 "not empty" common/tools/copy.sh 09_hilbert_schedule .
expect 2 "cannot be made" common/tools/copy.sh 09_hilbert_schedule common/tools/copy.sh/new
[ ! -e "$dest" ] || { echo "a refusal left a folder behind" && exit 1; }

options=(-DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Werror" -DCMAKE_UNITY_BUILD=ON
         -DCMAKE_UNITY_BUILD_BATCH_SIZE=0)
for chapter in "${chapters[@]}"; do
  rm -rf "$dest"
  try "$chapter cannot be copied" env WITH_CPU=1 common/tools/copy.sh "$chapter" "$dest"
  touch "$dest/cpu/main.cu"
  try "not the files of a copy" test -e "$dest/LICENSE" -a ! -e "$dest/cpu/chapter.cu" -a ! -e "$dest/cpu/bugs"
  try "the copy of $chapter cannot be configured" \
    cmake -S "$dest/cpu" -B "$build" -G "Unix Makefiles" "${options[@]}"
  try "the copy of $chapter does not build" cmake --build "$build"
  expect 0 "${chapter##*/}, 200x320x200: ok" "$build/gemm_cpu" 200 320 200

  lines=$(grep -cvE '^\s*(//.*)?$' "$dest/gemm.cu")
  [ "$lines" -le 1000 ] || { echo "gemm.cu of $chapter has $lines lines of code, more than 1000" && exit 1; }
  if [ -n "$nvcc" ]; then
    archs=$(sed -nE 's/.*ARCHS ([0-9]+[a-z]?).*/\1/p' "$chapter/CMakeLists.txt")
    for arch in ${archs:-80 86 89 90a}; do
      try "gemm.cu of $chapter does not compile for sm_$arch" "$nvcc" -std=c++20 --expt-relaxed-constexpr \
        -Werror all-warnings "-arch=sm_$arch" "$dest/gemm.cu" -o "$dest/gemm"
    done
    expect 2 "usage: gemm [M N K]" "$dest/gemm" 1 2
    if nvidia-smi -L 2>/dev/null | grep -q GPU; then
      expect 0 TFLOPS "$dest/gemm" 1000 1024 1000
    else
      expect 3 "gemm: cudaMalloc: " "$dest/gemm"
    fi
  fi
  if [[ $chapter == 01_* ]]; then # an error in the kernel is noticed
    sed -i 's/float sum = 0.0f;/float sum = 0.1f;/' "$dest/cpu/kernel.cuh"
    try "the error does not build" cmake --build "$build"
    expect 1 " results are wrong" "$build/gemm_cpu" 200 320 200
  fi
done
if [ $# -le 2 ]; then
  expect 0 "build and install" common/tools/copy.sh 09_hilbert_schedule/every_shape "$work/product"
  [ -z "$nvcc" ] || try "every_shape's copy cannot be configured" \
    cmake -S "$work/product" -B "$work/product/build" "-DCMAKE_CUDA_COMPILER=$nvcc"
fi
echo "copies of ${chapters[*]} build and are right"
