#!/usr/bin/env bash
# What `make diff` does: what one chapter's code adds to another's. Kernel, plan and helper headers are
# compared; registration, tests, planted bugs, copy.cuh and asides are not.
#
#   diff.sh FROM TO      two folders: the summary, the patch, the number of changed lines
#   diff.sh              that number for each step of the ladder, beside its limit
set -eu -o pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

collect() { # collect FOLDER: its code into the working folder, by the folder's own name
  local folder=$1 name namespace file
  name=$(basename "$folder")
  namespace=$(sed -nE 's/^namespace (\w+) \{.*/\1/p' "$folder/kernel.cuh" | head -n 1)
  mkdir -p "$work/$name"
  for file in "$folder"/*.cuh "$folder"/*.hpp; do
    case $(basename "$file") in copy.cuh) continue ;; esac
    [ ! -e "$file" ] || sed -E "s/\b$namespace\b/chapter/g; s/\b$name\b/NN_chapter/g" "$file" \
      >"$work/$name/$(basename "$file")"
  done
}
compare() { # compare FROM TO OPTION...: git's status 1 says that they differ
  local from=$1 to=$2
  shift 2
  (cd "$work" && git --no-pager diff --no-index -M "$@" "$(basename "$from")" "$(basename "$to")") ||
    [ $? = 1 ]
}
count() { # count FROM TO: insertions and deletions
  compare "$1" "$2" --numstat | awk '{ more += $1; less += $2 } END { print more + 0, less + 0 }'
}

if [ $# = 2 ]; then
  collect "$1"
  collect "$2"
  echo "Namespaces and names are written alike here: what differs in them alone is no change."
  compare "$1" "$2" --stat=110,64 -p
  read -r more less < <(count "$1" "$2")
  echo "$((more + less)) changed lines ($more insertions, $less deletions)"
  exit
fi

limit() { # limit FROM TO: lines that a step may change
  case ${1%%_*}-${2%%_*} in
    03-04 | 06-07) echo 260 ;;
    04-05) echo 350 ;;
    05-06) echo 450 ;;
    08-09) echo 280 ;;
    *) echo 200 ;;
  esac
}
cd "$(dirname "$0")/../.."
before=
printf '%-44s %8s %6s\n' step changed limit
for chapter in [0-9][0-9]_*/; do
  chapter=${chapter%/}
  [ -e "$chapter/kernel.cuh" ] || continue
  collect "$chapter"
  if [ -n "$before" ]; then
    read -r more less < <(count "$before" "$chapter")
    changed=$((more + less)) most=$(limit "$before" "$chapter")
    printf '%-44s %8d %6d%s\n' "$before -> $chapter" $changed "$most" \
      "$([ $changed -le "$most" ] || echo '  over')"
  fi
  before=$chapter
done
