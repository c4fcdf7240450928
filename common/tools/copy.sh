#!/usr/bin/env bash
# What `make copy` does. Of a chapter: gemm.cu, the kernel in one file; with WITH_CPU=1 a small project in
# DEST/cpu that runs it on the CPU backend. Of every_shape: a library that CMake builds and installs.
#
#   copy.sh FOLDER DEST      FOLDER: a chapter's with copy.cuh, or every_shape's; DEST: a new or empty directory
set -eu -o pipefail
refuse() { echo "copy: $*" >&2; exit 2; }
chapter=${1-} dest=${2-}
[ -n "$chapter" ] && [ -n "$dest" ] || refuse "usage: make copy CHAPTER=09 DEST=~/mygemm"
dest=$(realpath -m "${dest/#"~/"/"$HOME/"}") # not every shell expands ~ before make sees it
cd "$(dirname "$0")/../.."
[ -e "$chapter/copy.cuh" ] || [[ $chapter == */every_shape ]] || refuse "$chapter has no copy.cuh"
command -v python3 >/dev/null || refuse "python3 is not on PATH"
mkdir -p "$dest" 2>/dev/null || refuse "$dest cannot be made, or is not a directory"
[ -z "$(ls -A "$dest")" ] || refuse "$dest is not empty"
cp LICENSE "$dest" 2>/dev/null || refuse "$dest is not writable"

# Copies sources, and the files of the repository that a compiler opens for them on a backend. It need not find
# those of the system and of CUDA. Paths begin at DEST instead of common/ or the chapter's folder.
take() { # take cuda|cpu FILE...
  files=$("${CXX:-c++}" -std=c++20 -x c++ -MM -MG -nostdinc -Icommon "-Icommon/$1" "-I$chapter" "${@:2}" \
    common/gemm/problem.cpp | tr -s ' \\' '\n\n' | grep -E "^(common|$chapter)/" | sort -u) ||
    refuse "the kernel of $chapter cannot be read"
  for folder in common "$chapter"; do
    (cd "$folder" && sed -n "s|^$folder/||p" <<<"$files" | xargs cp --parents --preserve=timestamps -t "$dest")
  done
}
fill() { sed "s/@CHAPTER@/${chapter##*/}/g" "common/copy/$1_CMakeLists.txt.in" >"$dest/CMakeLists.txt"; }

if [ -e "$chapter/copy.cuh" ]; then
  python3 common/copy/single_file.py "$chapter" >"$dest/gemm.cu"
  if command -v clang-format >/dev/null; then clang-format --style="file:$PWD/.clang-format" -i "$dest/gemm.cu"; fi
  how=$(sed -n 's|^// *nvcc|nvcc|p' "$dest/gemm.cu")
  if [ "${WITH_CPU-}" = 1 ]; then # the runtime comes whole: it is one library
    dest+=/cpu
    mkdir "$dest"
    take cpu common/copy/main.cu common/cpu/runtime/*.cpp
    mv "$dest/copy/main.cu" "$dest" && rmdir "$dest/copy"
    fill cpu
    how+="; for the CPU backend see cpu/CMakeLists.txt"
  fi
else
  # shellcheck disable=SC2046
  take cuda $(compgen -G "$chapter/*.cu" | grep -vE '/(chapter|cpu_only|timeline)\.cu$')
  common/tools/wgmma_instructions.sh wgmma >"$dest/cuda/gpu/wgmma_instructions.hpp"
  find "$chapter" -maxdepth 1 -name '*.c' -exec cp -t "$dest" {} +
  fill product
  how="its CMakeLists.txt says how to build and install it"
fi
echo "$chapter is in ${dest%/cpu}: $how"
