#!/usr/bin/env bash
# What `make copy` does: a chapter's kernel as a small project of its own, with main.cu, CMakeLists.txt,
# README.md and what the kernel includes of common/, for CUDA and for the CPU backend.
#
#   copy.sh FOLDER DEST      FOLDER: a chapter's or an aside's with copy.cuh; DEST: a new or empty directory
set -eu -o pipefail
refuse() {
  echo "copy: $*" >&2
  exit 2
}
chapter=${1-} dest=${2-}
[ -n "$chapter" ] && [ -n "$dest" ] || refuse "usage: make copy CHAPTER=09 DEST=~/mygemm"
dest=$(realpath -m "${dest/#"~/"/"$HOME/"}") # not every shell expands ~ before make sees it
cd "$(dirname "$0")/../.."
[ -e "$chapter/copy.cuh" ] || refuse "$chapter has no copy.cuh"
mkdir -p "$dest" 2>/dev/null || refuse "$dest cannot be made, or is not a directory"
[ -w "$dest" ] && [ -x "$dest" ] || refuse "$dest is not writable"
[ -z "$(ls -A "$dest")" ] || refuse "$dest is not empty"

# Files of the repository that the compiler opens for the sources on a backend. It need not find any
# other: those of the system and of CUDA are left out.
opened() { # opened cuda|cpu FILE...
  "${CXX:-c++}" -std=c++20 -x c++ -MM -MG -nostdinc -Icommon "-Icommon/$1" "-I$chapter" "${@:2}" |
    tr -s ' \\' '\n\n' | grep -E "^(common|$chapter)/" || refuse "the kernel of $chapter cannot be read"
}
# The runtime comes whole: it is one library. What a header declares is defined in the .cpp beside it.
sources=(common/cpu/runtime/*.cpp)
for header in $(opened cpu common/copy/main.cu | grep '^common/gemm/.*hpp$'); do
  if [ -e "${header%.hpp}.cpp" ]; then sources+=("${header%.hpp}.cpp"); fi
done
files=$({ opened cuda common/copy/main.cu && opened cpu common/copy/main.cu "${sources[@]}"; } | sort -u)

# Paths begin at DEST instead of common/ or the chapter's folder.
for folder in common "$chapter"; do
  (cd "$folder" && grep -vxE "common/copy/main.cu|$chapter/copy.cuh" <<<"$files" |
    sed -n "s|^$folder/||p" | xargs cp --parents --preserve=timestamps -t "$dest")
done
sed -e "/^#include \"copy.cuh\"/{r $chapter/copy.cuh
d}" common/copy/main.cu >"$dest/main.cu"
arch=$(sed -nE 's/.*ARCHS ([0-9]+[a-z]?).*/\1/p' "$chapter/CMakeLists.txt")
for file in CMakeLists.txt README.md; do
  sed -e "s/@CHAPTER@/${chapter##*/}/; s/@ARCH@/${arch:-80}/" "common/copy/$file.in" >"$dest/$file"
done
if [ -e "$dest/cuda/gpu/wgmma.hpp" ]; then # of the widths of wgmma the one that it multiplies with
  width=$(sed -nE 's/^using Chosen = .*<[0-9]+, ([0-9]+),.*/\1/p' "$chapter/copy.cuh")
  common/tools/wgmma_instructions.sh wgmma "$width" >"$dest/cuda/gpu/wgmma_instructions.hpp"
fi
cp LICENSE "$dest"
echo "$chapter is in $dest: $(find "$dest" -type f | wc -l) files; its README.md says how to build it"
