#!/usr/bin/env bash
# That `make new` makes a chapter which is part of the project at once, passes its tests and builds
# alone, in a copy of the tree. CXX and LAUNCHER name the compiler and what is put before it.
set -u -o pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  [ ! -s "$work/log" ] || tail -n 30 "$work/log"
  echo "$*"
  exit 1
}
mkdir "$work/tree"
(cd "$root" && for path in * .clang-format; do
  case $path in build*) ;; *) printf '%s\0' "$path" ;; esac
done | xargs -0 cp -r -t "$work/tree") || fail "the tree cannot be copied"
cd "$work/tree" || exit 1
new() { make --no-print-directory new "$@" >"$work/log" 2>&1; }

for arguments in "CHAPTER=mine FROM=09" "CHAPTER=09_mine FROM=08" "CHAPTER=10_gemm FROM=09" \
  "CHAPTER=10_mine FROM=42" "CHAPTER=10_mine"; do
  # shellcheck disable=SC2086
  ! new $arguments && grep -q '^new: ' "$work/log" || fail "make new $arguments was not refused"
done
[ ! -e 10_mine ] || fail "a refusal left a folder behind"

# One from the last chapter for text and figures, one from a chapter that is compiled in no time.
last=$(printf '%s\n' [0-9][0-9]_*/ | tail -n 1)
new CHAPTER=98_mine FROM="${last%%_*}" && new CHAPTER=99_cheap FROM=02 || fail "make new failed"
grep -rqE "${last%/}|\b${last#*_}\b" 98_mine --include='*.c*' --include='*.hpp' &&
  fail "98_mine: an old name is left"
# The number in the first comment is all that differs.
[ "$(make --no-print-directory diff FROM=02 TO=99 | tail -n 1)" = \
  "2 changed lines (1 insertions, 1 deletions)" ] || fail "99_cheap differs from what it is a copy of"
(cd 98_mine && git apply --check bugs/*.patch) || fail "98_mine: a bug cannot be planted"
if command -v python3 >/dev/null; then
  if python=$(common/tools/python.sh); then
    "$python" plots/tables.py --check >"$work/log" 2>&1 || fail "tables are out of date"
  fi
  (cd common/test/docs && python3 -m unittest docs_test -k chapter -k reached) >"$work/log" 2>&1 ||
    fail "the new pages break a rule"
fi

# With ccache a second run compiles nothing, wherever it takes place.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
options=(-DCMAKE_BUILD_TYPE=None -DHOUSE_CUDA=OFF "-DCMAKE_CXX_COMPILER=${CXX:-c++}"
         "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER-}")
cmake -S . -B "$work/all" "${options[@]}" >"$work/log" 2>&1 || fail "the project cannot be configured"
cmake --build "$work/all" --target help >"$work/targets"
for target in 98_mine_cpu 98_mine_traced 98_mine_cpu_test 99_cheap_cpu; do
  grep -qw "$target" "$work/targets" || fail "the project has no $target"
done
cmake -S 99_cheap -B "$work/alone" "${options[@]}" >"$work/log" 2>&1 &&
  cmake --build "$work/alone" -j "$(nproc)" --target 99_cheap_cpu 99_cheap_cpu_test >"$work/log" 2>&1 ||
  fail "99_cheap does not build alone"
"$work/alone/bin/99_cheap_cpu" --list >"$work/log" && grep -q '^99_cheap: Cheap\.' "$work/log" ||
  fail "99_cheap is not in its --list"
"$work/alone/bin/99_cheap_cpu" --check --variant all --size 64 >"$work/log" 2>&1 || fail "it is wrong"
"$work/alone/tests/99_cheap_cpu_test" square,ragged,tiny,skinny >"$work/log" 2>&1 ||
  fail "it fails the contract tests"
echo "a new chapter builds, alone and in the project, and is right"
