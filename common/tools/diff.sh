#!/usr/bin/env bash
# What `make diff` does: what one chapter's code adds to another's. Kernel, plan and helper headers are
# compared; registration, tests, planted bugs, copy.cuh and asides are not.
#
#   diff.sh FROM TO      two folders: the summary, the patch, the number of changed lines
#   diff.sh              that number for each step of the ladder, beside its limit
set -eu -o pipefail
[ -n "${1-none}" ] && [ -n "${2-none}" ] || { echo "usage: make diff FROM=02 TO=03" >&2; exit 2; }
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folders=("$@")
[ $# = 2 ] || folders=($(dirname [0-9][0-9]_*/kernel.cuh))

for folder in "${folders[@]}"; do # its code into the working folder, by the folder's own name
  name=${folder##*/}
  namespace=$(sed -nE '/^namespace/ { s/^namespace (\w+) \{.*/\1/p; q }' "$folder/kernel.cuh")
  mkdir -p "$work/$name"
  for file in "$folder"/*.cuh "$folder"/*.hpp; do
    [[ $file == */copy.cuh || ! -e $file ]] ||
      sed -E "s/\b$namespace\b/chapter/g; s/\b$name\b/NN_chapter/g" "$file" >"$work/$name/${file##*/}"
  done
done
compare() { # compare FROM TO OPTION...: status 1 of git says that they differ
  (cd "$work" && git --no-pager diff --no-index -M "${@:3}" "${1##*/}" "${2##*/}") || [ $? = 1 ]
}
count() { # count FROM TO: changed lines, insertions and deletions
  compare "$1" "$2" --numstat | awk '{ lines += $1 + $2 } END { print lines + 0 }'
}

if [ $# = 2 ]; then
  echo "Namespaces and names are written alike here: what differs in them alone is no change."
  compare "$1" "$2" --stat=110,64 -p
  echo "$(count "$1" "$2") changed lines"
  exit
fi
declare -A limit=([03-04]=260 [04-05]=350 [05-06]=450 [06-07]=260 [08-09]=280) # of others 200
printf '%-44s %8s %6s\n' step changed limit
for ((i = 1; i < ${#folders[@]}; ++i)); do
  from=${folders[i - 1]} to=${folders[i]}
  changed=$(count "$from" "$to") most=${limit[${from%%_*}-${to%%_*}]-200}
  printf '%-44s %8d %6d%s\n' "$from -> $to" "$changed" "$most" \
    "$([ "$changed" -le "$most" ] || echo '  over')"
done
