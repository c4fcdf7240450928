#!/usr/bin/env bash
# That `make copy` gives projects which build by themselves and whose programs are right, and what it
# refuses.
#
#   copy_test.sh CXX [NVCC [all]]
#   copy_test.sh --programs DIR CXX NVCC     as `all`, and keeps the programs for the GPU in DIR
#   copy_test.sh --run DIR                   runs those, on a machine that builds nothing
#
# All chapters are built for the CPU backend and run. With NVCC the last is compiled for CUDA; with `all` every
# chapter is, several at a time, and run if there is a GPU. Otherwise the copies lie in the same place
# one after another and share a build folder: what does not differ between them (files keep their
# times) is built once.
set -u
keep=
if [ "${1-}" = --run ]; then
  status=2
  for program in "$2"/*_gemm; do
    [ -x "$program" ] || { echo "no programs in $2" >&2; exit 2; }
    [ $status != 2 ] || status=0
    timeout 60 "$program" || { echo "$program: exit status $?"; status=1; }
  done
  exit $status
elif [ "${1-}" = --programs ]; then
  mkdir -p "$2" && keep=$(cd "$2" && pwd) || exit 2
  set -- "$3" "$4" all
fi
export CXX=$1
nvcc=${2-}
all=${3-}
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$root/common/tools/copy.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dest="$work/my gemm" failed=0
fail() {
  echo "$*"
  failed=1
}

expect_refusal() { # expect_refusal TEXT ARGUMENT...: status 2, and one line that holds TEXT
  local text=$1 printed status
  shift
  printed=$("$copy" "$@" 2>&1)
  status=$?
  if [ $status != 2 ] || [[ $printed != "copy: "*"$text"* ]] || [ "$(wc -l <<<"$printed")" != 1 ]; then
    fail "copy.sh $*: status $status, expected 2 and '$text': $printed"
  fi
}
expect_refusal usage
expect_refusal usage 09
expect_refusal usage "" "$work/new"
expect_refusal "no chapter '12'" 12 "$work/new"
expect_refusal "no chapter '0'" 0 "$work/new"
expect_refusal "no chapter 'common'" common "$work/new"
expect_refusal "not empty" 09 "$root"
expect_refusal "not a directory" 09 "$copy"
expect_refusal "cannot be made" 09 "$copy/new"
if [ "$(id -u)" != 0 ]; then # to root everything is writable
  mkdir -m 555 "$work/closed"
  expect_refusal "not writable" 09 "$work/closed"
fi
[ ! -e "$work/new" ] || fail "a refusal left a folder behind"

options=(-DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra" -DCMAKE_UNITY_BUILD=ON
         -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 "-DCMAKE_CUDA_COMPILER=${nvcc:-NOTFOUND}"
         -UCMAKE_CUDA_ARCHITECTURES)

configure() {
  cmake -S "$dest" -B "$dest/build" -G "Unix Makefiles" "${options[@]}" >"$work/log" 2>&1
}
build() { # build TARGET: without a warning
  cmake --build "$dest/build" --target "$1" >"$work/log" 2>&1 && ! grep -q 'warning:' "$work/log"
}
check() { # check CHAPTER: of a chapter's copy
  local chapter=$1 printed folder file
  printed=$("$dest/build/gemm_cpu" 2>&1) && [[ $printed == "$chapter, "*": ok" ]] ||
    fail "the copy of $chapter on the CPU backend: $printed"
  for file in "$dest"/*.cuh "$dest"/*.hpp; do
    [ ! -e "$file" ] || cmp "$file" "$root/$chapter/${file##*/}" || fail "$chapter: a changed file"
  done
  for folder in core cpu cuda gemm; do
    diff -rq "$dest/$folder" "$root/common/$folder" | grep -vE "^Only in $root|: wgmma_instructions.hpp$" &&
      fail "$chapter: $folder differs"
  done
  # Nothing that is only at hand here: every header that lies in a folder is in the copy or the system's.
  while read -r file; do
    [ -e "$dest/$file" ] || [ -e "$dest/cpu/$file" ] || [ -e "$dest/cuda/$file" ] ||
      fail "$chapter: includes <$file>"
  done < <(grep -rhoE --exclude-dir=build '^#include <[^>]+/[^>]+>' "$dest" | sed 's/.*<//; s/>//' |
    grep -vE '^(sys|sanitizer)/' | sort -u)
  [ -e "$dest/LICENSE" ] || fail "$chapter: a copy without the license"
  for file in chapter.cu copy.cuh test.cpp bugs harness; do
    [ ! -e "$dest/$file" ] || fail "$chapter: $file is of no use in a copy"
  done
}

try_chapter() { # try_chapter CHAPTER: copies it to $dest and builds it there
  local chapter=$1 printed status
  if ! "$copy" "${chapter%%_*}" "$dest" >"$work/log" 2>&1; then
    cat "$work/log"
    fail "$chapter cannot be copied"
    return
  fi
  if [ -d "$work/build" ]; then mv "$work/build" "$dest"; else mkdir "$dest/build"; fi
  configure && build gemm_cpu || { cat "$work/log"; fail "the copy of $chapter does not build"; return; }
  check "$chapter"
  if [ -n "$nvcc" ] && [[ $all == all || $chapter == "$last" ]]; then
    build gemm || { cat "$work/log"; fail "the copy of $chapter does not build for CUDA"; return; }
    [ -z "$keep" ] || cp "$dest/build/gemm" "$keep/${chapter}_gemm"
    if [ "$all" = all ] && nvidia-smi -L 2>/dev/null | grep -q GPU; then
      timeout 60 "$dest/build/gemm" || fail "the copy of $chapter on the GPU"
    fi
  fi
  if [[ $chapter == 01_* ]]; then # an error in the kernel is noticed
    sed -i 's/float sum = 0.0f;/float sum = 0.1f;/' "$dest/kernel.cuh"
    build gemm_cpu
    printed=$("$dest/build/gemm_cpu")
    status=$?
    [ $status = 1 ] && [[ $printed == *" results are wrong" ]] ||
      fail "$chapter with an error in it: status $status, $printed"
  fi
}

chapters=("$root"/[0-9][0-9]_*/copy.cuh)
last=$(basename "$(dirname "${chapters[-1]}")")
for folder in "${chapters[@]}"; do
  chapter=$(basename "$(dirname "$folder")")
  if [ "$all" = all ]; then
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    (
      work=$work/$chapter
      dest="$work/my gemm"
      mkdir -p "$work"
      try_chapter "$chapter"
      exit $failed
    ) || touch "$work/failed" &
    continue
  fi
  if [ -d "$dest" ]; then mv "$dest/build" "$work" && rm -r "$dest"; fi
  try_chapter "$chapter"
done
wait
[ ! -e "$work/failed" ] || failed=1

[ $failed = 0 ] && echo "copies of all chapters build and are right"
exit $failed
