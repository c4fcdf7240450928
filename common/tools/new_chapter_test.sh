#!/usr/bin/env bash
# That `make new` makes a chapter which is part of the project at once, passes its tests and builds
# alone, in a copy of the tree.
#
#   new_chapter_test.sh CXX LAUNCHER     the compiler, and what is put before it
set -u -o pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" && cd "$(dirname "$0")/../.." && cp -r [!b.]* "$work/tree" && cd "$work/tree" || exit 1
try() { # try WHAT COMMAND...
  "${@:2}" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && echo "$1" && exit 1; }
}
for arguments in "CHAPTER=mine FROM=09" "CHAPTER=09_mine FROM=08" "CHAPTER=10_gemm FROM=09" "CHAPTER=10_mine"; do
  try "make new $arguments is not refused" bash -c "make new $arguments 2>&1 | grep '^new: ' && [ ! -e 10_mine ]"
done

# One from the last chapter for text and figures, one from a chapter that is compiled in no time.
last=$(printf '%s\n' [0-9][0-9]_*/ | tail -n 1)
try "make new failed" make new CHAPTER=98_mine FROM="${last%%_*}"
try "make new failed" make new CHAPTER=99_cheap FROM=02
try "an old name is left" bash -c "! grep -rE '${last%/}|\b${last#*_}\b' 98_mine --include='*.c*' --include='*.hpp'"
# The number in the first comment is all that differs.
try "not a copy" bash -c "make diff FROM=02 TO=99 | grep -x '2 changed lines'"
try "a bug cannot be planted" bash -c 'cd 98_mine && git apply --check bugs/*.patch'
if command -v python3 >/dev/null; then
  try "tables are out of date" common/tools/python.sh tables.py --check
  try "a page breaks a rule" bash -c 'cd common/test/docs && python3 -m unittest docs_test -k chapter -k reached'
fi

# With ccache a second run compiles nothing, wherever it takes place.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
cmake=(cmake -B "$work/build" -DCMAKE_BUILD_TYPE=None -DLADDER_CUDA=OFF "-DCMAKE_CXX_COMPILER=$1"
       "-DCMAKE_CXX_COMPILER_LAUNCHER=${2:-}")
try "the project cannot be configured" "${cmake[@]}" -S .
try "the project does not have it" grep -rqw 98_mine_cpu_test "$work/build" --include=CTestTestfile.cmake
rm -r "$work/build"
try "it cannot be configured alone" "${cmake[@]}" -S 99_cheap
try "it does not build" cmake --build "$work/build" -j "$(nproc)" --target 99_cheap_cpu 99_cheap_cpu_test
try "it has no name" bash -c "'$work/build/bin/99_cheap_cpu' --list | grep '^99_cheap: Cheap\.'"
try "it fails the contract tests" bash -c "'$work/build/tests/99_cheap_cpu_test' problems | grep '^All tests passed'"
echo "a new chapter builds, alone and in the project, and is right"
