#!/usr/bin/env bash
# That `make copy` gives projects which build by themselves and whose programs are right, and what it
# refuses. Of all chapters the program for the CPU backend, and with NVCC that of the last for CUDA; of the
# named ones both, run if there is a GPU.
#
#   copy_test.sh CXX [NVCC [CHAPTER...]]
set -u
export CXX=$1
nvcc=${2-}
shift $(($# < 2 ? $# : 2))
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$root/common/tools/copy.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dest="$work/my gemm"
fail() {
  [ ! -s "$work/log" ] || tail -n 30 "$work/log"
  echo "$*"
  exit 1
}

expect_refusal() { # expect_refusal TEXT ARGUMENT...: status 2, and one line that holds TEXT
  local text=$1 printed status=0
  shift
  printed=$("$copy" "$@" 2>&1) || status=$?
  [ $status = 2 ] && [[ $printed == "copy: "*"$text"* ]] && [ "$(wc -l <<<"$printed")" = 1 ] ||
    fail "copy.sh $*: status $status, expected 2 and '$text': $printed"
}
expect_refusal usage 09
expect_refusal "no chapter '12'" 12 "$dest"
expect_refusal "no chapter 'common'" common "$dest"
expect_refusal "not empty" 09 "$root"
expect_refusal "not a directory" 09 "$copy"
expect_refusal "cannot be made" 09 "$copy/new"
[ ! -e "$dest" ] || fail "a refusal left a folder behind"

options=(-DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra" -DCMAKE_UNITY_BUILD=ON
         -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 "-DCMAKE_CUDA_COMPILER=${nvcc:-NOTFOUND}"
         -UCMAKE_CUDA_ARCHITECTURES)
build() { # build TARGET: without a warning
  cmake --build "$dest/build" --target "$1" >"$work/log" 2>&1 && ! grep -q 'warning:' "$work/log" ||
    fail "the copy of $chapter: $1 does not build"
}
run() { # run PROGRAM STATUS END: says how it went, in the end
  local printed status=0
  printed=$(timeout 60 "$dest/build/$1" 2>&1) || status=$?
  [ $status = "$2" ] && [[ $printed == "${chapter##*/}, "*"$3" ]] ||
    fail "the copy of $chapter: $1: status $status, expected $2 and '$3': $printed"
}
chapters=("$@")
[ $# -gt 0 ] || chapters=($(cd "$root" && ls -d [0-9][0-9]_*/copy.cuh | xargs dirname))
for chapter in "${chapters[@]}"; do
  # In the same place one after another, with one build folder: files keep their times, so what does not
  # differ is built once.
  if [ -d "$dest" ]; then mv "$dest/build" "$work" && rm -r "$dest"; fi
  "$copy" "${chapter##*/}" "$dest" >"$work/log" 2>&1 || fail "$chapter cannot be copied"
  if [ -d "$work/build" ]; then mv "$work/build" "$dest"; fi
  [ -e "$dest/LICENSE" ] && [ ! -e "$dest/chapter.cu" ] && [ ! -e "$dest/bugs" ] ||
    fail "the copy of $chapter: not the files of a copy"
  cmake -S "$dest" -B "$dest/build" -G "Unix Makefiles" "${options[@]}" >"$work/log" 2>&1 ||
    fail "the copy of $chapter cannot be configured"
  build gemm_cpu
  run gemm_cpu 0 ": ok"
  if [ -n "$nvcc" ] && [[ $# -gt 0 || $chapter == "${chapters[-1]}" ]]; then build gemm; fi
  if [ $# -gt 0 ] && nvidia-smi -L 2>/dev/null | grep -q GPU; then run gemm 0 ": ok"; fi
  if [[ $chapter == 01_* ]]; then # an error in the kernel is noticed
    sed -i 's/float sum = 0.0f;/float sum = 0.1f;/' "$dest/kernel.cuh"
    build gemm_cpu
    run gemm_cpu 1 " results are wrong"
  fi
done
echo "copies of all chapters build and are right"
