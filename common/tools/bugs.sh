#!/usr/bin/env bash
# What `make bugs` does: builds the planted bugs of a folder and shows what the CPU backend says of one, or
# with `answer` behind the number its patch.
#
#   bugs.sh BUILD_DIR JOBS FOLDER [NUMBER|NAME [answer]]     FOLDER: a chapter's or an aside's
set -eu
export LC_ALL=C # the order of the patches
build=$1 jobs=$2 folder=$3 wanted=${4-} answer=${5-}
chapter=${folder##*/} patches=("$folder"/bugs/*.patch)
[ -e "${patches[0]}" ] || { echo "no bug in '$folder'; usage: make bugs CHAPTER=07 ARGS=1" >&2; exit 2; }
patch=$folder/bugs/$wanted.patch
if [[ $wanted =~ ^[1-9][0-9]*$ ]]; then patch=${patches[$((wanted - 1))]-}; fi
[ -e "$patch" ] ||
  { echo "usage: make bugs CHAPTER=$chapter ARGS=N, with N from 1 to ${#patches[@]}" >&2; exit 2; }
if [ "$answer" = answer ]; then exec cat "$patch"; fi
"$(dirname "$0")/build_target.sh" "$build" "$jobs" "${chapter}_bugs"
status=0
said=$("$build/tests/${chapter}_bugs" "$(basename "$patch" .patch)") || status=$?
sed 's,\.\./,,g' <<<"$said"
[ $status != 0 ] || { echo "bugs: nothing was noticed" >&2 && exit 1; }
[[ $status = [13] ]] || exit "$status"
echo "Which line is it? The answer: make bugs CHAPTER=$chapter ARGS=\"$wanted answer\""
