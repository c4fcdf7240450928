#!/usr/bin/env bash
# What `make copy` does: a chapter's kernel as a small project of its own, with main.cu, CMakeLists.txt,
# README.md and what the kernel includes of common/, for CUDA and for the CPU backend.
#
#   copy.sh CHAPTER DEST      CHAPTER: 09, 09_hilbert_schedule or every_shape; DEST: a new or empty directory
set -eu -o pipefail
refuse() {
  echo "copy: $*" >&2
  exit 2
}
wanted=${1-} dest=${2-}
root=$(cd "$(dirname "$0")/../.." && pwd)
cxx=${CXX:-c++}

[ -n "$wanted" ] && [ -n "$dest" ] || refuse "usage: make copy CHAPTER=09 DEST=~/mygemm"
chapter=
for folder in "$root"/[0-9][0-9]_*/; do
  name=$(basename "$folder")
  case ${wanted%/} in "$name" | "${name%%_*}") chapter=$name ;; esac
  if [[ $wanted =~ ^[a-z_]+/?$ && -e $folder$wanted/copy.cuh ]]; then chapter=$name/${wanted%/}; fi # an aside
done
[ -n "$chapter" ] || refuse "there is no chapter '$wanted'"
[ -e "$root/$chapter/copy.cuh" ] || refuse "$chapter has no copy.cuh"

case $dest in
  "~/"*) dest=$HOME/${dest#"~/"} ;; # not every shell does this before make sees it
  -*) dest=./$dest ;;
esac
[ ! -e "$dest" ] || [ -d "$dest" ] || refuse "$dest is not a directory"
mkdir -p "$dest" 2>/dev/null || refuse "$dest cannot be made"
[ -w "$dest" ] && [ -x "$dest" ] || refuse "$dest is not writable"
[ -z "$(ls -A "$dest")" ] || refuse "$dest is not empty"
dest=$(cd "$dest" && pwd)
cd "$root"

# Files of the repository that the compiler opens for main.cu or a source on a backend, relative to the
# root. It need not find any other: those of the system and of CUDA are left out.
opened() { # opened cuda|cpu FILE...
  local backend=$1
  shift
  "$cxx" -std=c++20 -x c++ -MM -MG -nostdinc -Icommon "-Icommon/$backend" "-I$chapter" "$@" |
    tr -s ' \\' '\n\n' | grep -E "^(common|$chapter)/" | sort -u
}
# The runtime comes whole, as behind any word: it is one library. What a header declares is defined in
# the .cpp beside it, if there is one, which opens more.
files=$({
  opened cuda common/copy/main.cu && opened cpu common/copy/main.cu &&
    opened cpu common/cpu/gpu/*.hpp | grep '^common/cpu/runtime/'
} | sort -u) || refuse "$cxx cannot read the kernel of $chapter"
while :; do
  sources=
  for file in $files; do
    source=${file%.hpp}.cpp
    if [[ $file == *.hpp && -e $source && $'\n'$files$'\n' != *$'\n'$source$'\n'* ]]; then
      sources+=" $source"
    fi
  done
  [ -n "$sources" ] || break
  more=$(opened cpu $sources) || refuse "$cxx cannot read the runtime of the CPU backend"
  files=$(printf '%s\n' "$files" "$more" $sources | sort -u)
done

# Paths begin at DEST instead of common/ or the chapter's folder.
files=$(grep -vxE "common/copy/main.cu|$chapter/copy.cuh" <<<"$files")
for folder in common "$chapter"; do
  (cd "$folder" && sed -n "s|^$folder/||p" <<<"$files" |
    xargs cp --parents --preserve=timestamps -t "$dest")
done
sed -e "/^#include \"copy.cuh\"/{r $chapter/copy.cuh
d}" common/copy/main.cu >"$dest/main.cu"
arch=$(sed -nE 's/.*ARCHS ([0-9]+[a-z]?).*/\1/p' "$chapter/CMakeLists.txt")
for file in CMakeLists.txt README.md; do
  sed -e "s/@CHAPTER@/${chapter##*/}/; s/@ARCH@/${arch:-80}/" "common/copy/$file.in" >"$dest/$file"
done
if [ -e "$dest/cuda/gpu/wgmma.hpp" ]; then # of the widths of wgmma the one that it multiplies with
  width=$(sed -nE 's/^using Chosen = .*<[0-9]+, ([0-9]+),.*/\1/p' "$chapter/copy.cuh")
  common/tools/wgmma_instructions.sh "$width" >"$dest/cuda/gpu/wgmma_instructions.hpp"
fi
cp LICENSE "$dest"
echo "$chapter is in $dest: $(find "$dest" -type f | wc -l) files; its README.md says how to build it"
