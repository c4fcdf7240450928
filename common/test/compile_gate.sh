#!/usr/bin/env bash
# The compile gate: every kernel of a chapter builds for each of its architectures without spilling
# registers, without a stack frame and without a word from ptxas (wgmma that it serialises is told as
# a "Potential Performance Loss").
#
#   compile_gate.sh NVCC COMMON_DIR CHAPTER_SOURCE ARCH...
#
# Prints a line per architecture with the number of kernels and the most registers used. Exit status
# 1 names each kernel that fails.
set -u -o pipefail
nvcc=$1 common=$2 source=$3
shift 3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for arch in "$@"; do
  flags=(-std=c++20 -O3 --expt-relaxed-constexpr -lineinfo -I"$common" -I"$common/cuda"
         -gencode="arch=compute_$arch,code=sm_$arch" -Xptxas=-v -Xcompiler=-Wall)
  if ! "$nvcc" "${flags[@]}" -c "$source" -o "$work/out.o" >"$work/log" 2>&1; then
    cat "$work/log"
    echo "compile gate: $source does not compile for sm_$arch"
    exit 1
  fi
  # ptxas reports a kernel in three lines: its name, its stack frame and spills, its registers.
  c++filt <"$work/log" | awk -v arch="$arch" '
    /warning|error|Potential Performance Loss/ { print "sm_" arch ": " $0; bad = 1 }
    /Function properties for/ { sub(/.*Function properties for /, ""); kernel = $0; ++kernels }
    /bytes stack frame/ && !/ 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ {
      print "sm_" arch ": " kernel ":" $0; bad = 1
    }
    /Used [0-9]+ registers/ {
      match($0, /Used [0-9]+/); used = substr($0, RSTART + 5, RLENGTH - 5) + 0
      if (used > most) most = used
    }
    END {
      if (kernels == 0) { print "sm_" arch ": no kernel found in the report of ptxas"; bad = 1 }
      printf "sm_%s: %d kernels, at most %d registers\n", arch, kernels, most
      exit bad
    }' || failed=1
done
exit $failed
