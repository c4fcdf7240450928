#!/usr/bin/env bash
# What `make new` does: a chapter that begins as a copy of another, without its asides, with a page to fill in.
#
#   new_chapter.sh NN_name FOLDER      FOLDER: the chapter to copy, e.g. 09_hilbert_schedule
set -eu -o pipefail
refuse() { echo "new: $*" >&2; exit 2; }
cd "$(dirname "$0")/../.."
new=${1-} from=${2-}
[[ $new =~ ^[0-9]{2}_[a-z][a-z0-9_]*$ ]] || refuse "CHAPTER=$new: expected a name like 10_mine"
number=${new%%_*} name=${new#*_} old_number=${from%%_*} old=${from#*_} # namespaces are names
! compgen -G "${number}_*/chapter.cu" >/dev/null || refuse "there is a chapter $number already"
[[ $from != */* && -e $from/chapter.cu && -e $from/kernel.cuh ]] || refuse "FROM=$from: expected a chapter, like 09"
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

# The form of a page: headings, code, tables, pictures and exercises of the other's, without its words.
awk '/^## Exercises/ { whole = 1 }
  whole || /^(#|\[(←|The ladder)|\*\*(Claim|Before)|<!--|!\[)/ { print; if (!whole) print "" }' "$from/README.md" |
  sed -E "s/$from/$new/g; s/\b(CHAPTER|TO)=$old_number\b/\1=$number/; s,\]\((\w+\.md),](../$from/\1,g
    s,^# .*,# $number · $title: what it adds,; s,^(\*\*Before this page:).*,\1** [$old_number](../$from/README.md).,
    s,^(\*\*Claim).*,\1.** What this chapter adds to [$old_number](../$from/README.md)\, in two sentences.," \
    >"$new/README.md"
python3 common/test/docs/pages.py --navigation ||
  echo "new: the lines that lead from page to page are still to be written"
common/tools/python.sh tables.py
echo "$new is there, a copy of $from: make run CHAPTER=$number"
