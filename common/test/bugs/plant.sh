#!/usr/bin/env bash
# plant.sh PATCH FOLDER OUTPUT: copies the folder's sources to OUTPUT/planted and plants a bug there;
# headers of the folder above, which an aside may include, to OUTPUT.
set -eu
shopt -s nullglob
patch=$1 folder=$2 output=$3
rm -rf "$output"
mkdir -p "$output/planted/bugs"
for file in "$folder"/*.{cu,cuh,hpp} "$folder"/bugs/*.cu; do
  cp "$file" "$output/planted/${file#"$folder"/}"
done
for file in "$folder"/../*.{cuh,hpp}; do cp "$file" "$output"; done
git -C "$output/planted" apply --whitespace=nowarn "$patch"
# Of two files that are alike g++ takes `#pragma once` for one.
find "$output" -type f -exec sed -i "\$a // $(basename "$patch")" {} +
