#!/usr/bin/env bash
# What `make bugs` does: builds the planted bugs of a chapter and shows what the CPU backend says of
# one, without saying which it is: the names are in the chapter's mutants.txt.
#
#   bugs.sh BUILD_DIR JOBS FOLDER [NUMBER|NAME]      FOLDER: a chapter's or an aside's
set -eu
build=$1 jobs=$2 folder=$3 wanted=${4-}
chapter=$(basename "$folder")
if [ ! -e "$folder/mutants.txt" ]; then
  echo "bugs: none is planted in $folder" >&2
  exit 2
fi
mapfile -t names < <(sed -n 's/^mutant //p' "$folder/mutants.txt")
name=$wanted
if [[ $wanted =~ ^[1-9][0-9]*$ ]]; then name=${names[$((wanted - 1))]-}; fi
if [ -z "$name" ] || ! printf '%s\n' "${names[@]}" | grep -qxF -- "$name"; then
  echo "usage: make bugs CHAPTER=$chapter ARGS=N, with N from 1 to ${#names[@]}" >&2
  exit 2
fi
if ! cmake --build "$build" -j "$jobs" --target "${chapter}_mutants" >"$build/build.log" 2>&1; then
  tail -n 40 "$build/build.log" >&2
  exit 2
fi
status=0
said=$("$build/tests/${chapter}_mutants" "$name") || status=$?
sed "s,\($name\|planted\)/,,g" <<<"$said"
case $status in
  1 | 3) echo "Which line is it? The answer: bug $wanted of $folder/mutants.txt" ;;
  0) echo "bugs: nothing was noticed" >&2 && exit 1 ;;
  *) exit "$status" ;;
esac
