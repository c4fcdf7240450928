#!/usr/bin/env bash
# What `make new` does: a chapter that begins as a copy of another, under a name of its own, with a page
# to fill in. Asides stay where they are.
#
#   new_chapter.sh NN_name FOLDER      FOLDER: the chapter to copy, e.g. 09_hilbert_schedule
set -eu -o pipefail
refuse() {
  echo "new: $*" >&2
  exit 2
}
cd "$(dirname "$0")/../.."
new=${1-} from=${2-}
[ -n "$new" ] && [ -n "$from" ] || refuse "usage: make new CHAPTER=10_mine FROM=09"
[[ $new =~ ^[0-9]{2}_[a-z][a-z0-9_]*$ ]] || refuse "CHAPTER=$new: expected a name like 10_mine"
number=${new%%_*} name=${new#*_} old_number=${from%%_*} old=${from#*_} # namespaces are names
! compgen -G "${number}_*/chapter.cu" >/dev/null || refuse "there is a chapter $number already"
[[ $from != */* && -e $from/chapter.cu && -e $from/kernel.cuh ]] || refuse "FROM=$from is no chapter"
[ ! -e "common/$name" ] && [[ ! $name =~ ^(std|gpu|test)$ ]] || refuse "CHAPTER=$new: $name is taken"
title=${name//_/ } title=${title^}

mkdir "$new"
trap '[ $? = 0 ] || rm -r "$new"' EXIT
for file in "$from"/* "$from"/*/*; do
  folder=$(dirname "$file") to=$new/${file#"$from"/}
  if [ -d "$file" ] || [[ $file == *.md || $folder != "$from" && -e $folder/chapter.cu ]]; then continue; fi
  mkdir -p "${to%/*}"
  sed -E "s/\b$old\b/$name/g; s/\b$from\b/$new/g
    s/^(\/\/ Chapter) $old_number\b/\1 $number/; s/\"$old_number(:| )/\"$number\1/
    s/(\.title = )\".*\"/\1\"$title\"/; s/(\.idea = )\".*\"/\1\"a copy of $old_number\"/
    /^add_subdirectory/d" "$file" >"$to"
done

# An empty line before every line but those of a list.
sed -E '/^([2-9]\.|  )/!s/^/\n/; 1s/^\n//' >"$new/README.md" <<END
# $number · $title: what it adds
(navigation)
**Claim.** What this chapter adds to [$old_number](../$from), in two sentences.
<!-- table:gain $new -->
<!-- /table -->
**Before this page:** [$old_number](../$from).
## The idea
First what it is, then why. A picture of its own comes here.
![Speed of every chapter on one GPU, against cuBLAS and against what the hardware can do](../plots/figures/speedup.svg)
## The code
\`make diff FROM=$old_number TO=$number\` shows what changed.
<!-- code:kernel.cuh first="gemm_kernel(" lines=10 -->
<!-- /code -->
New here: the lines that this chapter adds, and what each does.
<!-- code:plan.cuh first="prepare(" lines=4 -->
<!-- /code -->
<!-- code:chapter.cu first="const harness::Registration registration" lines=8 -->
<!-- /code -->
## Walk-through
What each thread, warp or warpgroup does when M = N = 256, with four tiles of C, three k-tiles and two stages.
## Prediction, then measurement
What should come of it, with its arithmetic, and then what did. Each variant gets a verdict, in the last column:
<!-- table:verdicts $new sizes=4096,8192 -->
<!-- /table -->
## What limits it now
Against its ceiling, with the counter that shows it (\`make profile CHAPTER=$number\`).
## Exercises
1. Check every variant: \`make run CHAPTER=$number ARGS="--check --variant all"\`.
   <details><summary>Answer</summary>All are right.</details>
2. The same with completions shuffled: \`build/bin/${new}_cpu --check --variant all --async random:1\`.
   <details><summary>Answer</summary>All are right, in every order.</details>
3. What does memory see? \`build/bin/${new}_cpu --counters\`
   <details><summary>Answer</summary>The sectors and wavefronts of each request.</details>
4. Which bug is planted? \`make bugs CHAPTER=$number ARGS=1\`
   <details><summary>Answer</summary>See the first patch in bugs/.</details>
## Further reading
- [How to add a variant](../CONTRIBUTING.md)
(navigation)
END
python3 common/test/docs/pages.py --navigation ||
  echo "new: the lines that lead from page to page are still to be written"
common/tools/python.sh tables.py
echo "$new is there, a copy of $from: make run CHAPTER=$number"
