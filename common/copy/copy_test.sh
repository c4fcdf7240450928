#!/usr/bin/env bash
# That `make copy` gives projects which build by themselves and whose programs are right, and what it
# refuses. Of all chapters the program for the CPU backend, and with NVCC that of the last for CUDA; of the
# named ones both, run if there is a GPU.
#
#   copy_test.sh CXX [NVCC [CHAPTER...]]
set -u
export CXX=$1
nvcc=${2-} chapters=("${@:3}")
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 2 ] || chapters=($(dirname [0-9][0-9]_*/copy.cuh))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dest="$work/my gemm" build="$work/my gemm/build"
try() { # try WHAT COMMAND...
  "${@:2}" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && echo "$1" && exit 1; }
}
expect() { # expect STATUS TEXT COMMAND...: one line that holds the text
  local printed status=0
  printed=$(timeout 60 "${@:3}" 2>&1) || status=$?
  [ $status = "$1" ] && [[ $printed == *"$2"* ]] && [ "$(wc -l <<<"$printed")" = 1 ] ||
    { echo "${*:3}: status $status, expected $1 and '$2': $printed" && exit 1; }
}
expect 2 usage common/tools/copy.sh 09_hilbert_schedule
expect 2 "no copy.cuh" common/tools/copy.sh common "$dest"
expect 2 "not empty" common/tools/copy.sh 09_hilbert_schedule .
expect 2 "cannot be made" common/tools/copy.sh 09_hilbert_schedule common/tools/copy.sh/new
[ ! -e "$dest" ] || { echo "a refusal left a folder behind" && exit 1; }

options=(-DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Werror" -DCMAKE_UNITY_BUILD=ON
         -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 "-DCMAKE_CUDA_COMPILER=${nvcc:-NOTFOUND}"
         "-DCMAKE_CUDA_FLAGS=-Werror all-warnings" -UCMAKE_CUDA_ARCHITECTURES)
for chapter in "${chapters[@]}"; do
  # In the same place one after another, with one build folder: files keep their times, so what does not
  # differ is built once.
  if [ -d "$dest" ]; then mv "$build" "$work" && rm -r "$dest"; fi
  try "$chapter cannot be copied" common/tools/copy.sh "$chapter" "$dest"
  if [ -d "$work/build" ]; then mv "$work/build" "$dest"; fi
  try "not the files of a copy" test -e "$dest/LICENSE" -a ! -e "$dest/chapter.cu" -a ! -e "$dest/bugs"
  try "the copy of $chapter cannot be configured" \
    cmake -S "$dest" -B "$build" -G "Unix Makefiles" "${options[@]}"
  try "the copy of $chapter does not build" cmake --build "$build" --target gemm_cpu
  expect 0 "${chapter##*/}, 200x320x200, bf16: ok" "$build/gemm_cpu"
  if [ -n "$nvcc" ] && [[ $# -gt 2 || $chapter == "${chapters[-1]}" ]]; then
    try "the copy of $chapter does not build for CUDA" cmake --build "$build" --target gemm
    if nvidia-smi -L 2>/dev/null | grep -q GPU; then expect 0 ": ok" "$build/gemm"; fi
  fi
  if [[ $chapter == 01_* ]]; then # an error in the kernel is noticed
    sed -i 's/float sum = 0.0f;/float sum = 0.1f;/' "$dest/kernel.cuh"
    try "the error does not build" cmake --build "$build" --target gemm_cpu
    expect 1 " results are wrong" "$build/gemm_cpu"
  fi
done
echo "copies of all chapters build and are right"
