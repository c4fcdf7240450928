#!/usr/bin/env bash
# The compile gate: every kernel of a chapter builds for each of its architectures without spilling
# registers, without a stack frame and without a word from ptxas (wgmma that it serialises is told as
# a "Potential Performance Loss").
#
#   compile_gate.sh NVCC|none COMMON_DIR SOURCE REPORT ARCH...
#
# REPORT: what the compiler said when SOURCE was built (keep_report.sh). Unless sources have changed
# since, architectures that it tells of are judged by it. The others are compiled here, all at once and
# without the host's code (with `none` instead of a compiler nothing is: exit status 77); sm_80, sm_86 and sm_89 have the same instructions and share one PTX. Of the two
# element types bf16 is enough: kernels of both use the same registers.
# Prints a line per architecture with the number of kernels and the most registers used; a source of host
# code has none. Exit status 1 names each kernel that fails.
set -u -o pipefail
nvcc=$1 common=$2 source=$3 built=$4
shift 4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/log"
rest=()
kernel_files=(\( -name '*.cu' -o -name '*.cuh' -o -name '*.hpp' \))
folder=$(dirname "$source")
changed() { find "$@" "${kernel_files[@]}" -newer "$built"; }
# An aside may include its lesson's files, in the folder above.
if [ -r "$built" ] &&
  [ -z "$(changed "$folder" "$folder/.." -maxdepth 1 && changed "$common/cuda")" ]; then
  cat "$built" >"$work/log"
fi
for arch in "$@"; do
  grep -q "Compiling entry function .* for 'sm_$arch'" "$work/log" || rest+=("$arch")
done
if [ ${#rest[@]} -gt 0 ] && [ "$nvcc" = none ]; then
  echo "skipped: ${source##*/} has not been built since it changed; \`make build\` compiles it"
  exit 77
elif [ ${#rest[@]} -gt 0 ]; then
  mkdir "$work/gpu"
  for header in wgmma wgmma_others; do
    "$common/tools/wgmma_instructions.sh" $header >"$work/gpu/${header}_instructions.hpp"
  done
  flags=(-std=c++20 -DGEMM_BF16_ALONE --expt-relaxed-constexpr -I"$common" -I"$common/cuda" -I"$work"
         -Xptxas=-v)
  for arch in "${rest[@]}"; do
    flags+=(-gencode="arch=compute_${arch/8?/80},code=sm_$arch")
  done
  if ! "$nvcc" "${flags[@]}" -fatbin "$source" -o "$work/out" >>"$work/log" 2>&1; then
    cat "$work/log"
    echo "compile gate: $source does not compile for sm_${rest[*]}"
    exit 1
  fi
fi

# ptxas reports a kernel in four lines: its name and architecture, its name again, its stack frame and
# spills, its registers. Functions that are not inlined have the middle two.
c++filt <"$work/log" | awk -v wanted="$*" '
  /warning|error|Potential Performance Loss/ { print; bad = 1 }
  /Compiling entry function/ { match($0, /sm_[0-9a-z]+/); arch = substr($0, RSTART + 3, RLENGTH - 3) }
  /Function properties for/ { sub(/.*Function properties for /, ""); kernel = $0; ++kernels[arch] }
  /bytes stack frame/ && !/ 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ {
    print "sm_" arch ": " kernel ":" $0; bad = 1
  }
  /Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/); used = substr($0, RSTART + 5, RLENGTH - 5) + 0
    if (used > most[arch]) most[arch] = used
  }
  END {
    count = split(wanted, archs, " ")
    for (i = 1; i <= count; ++i) {
      arch = archs[i]
      if (kernels[arch] == 0) print "sm_" arch ": a source without kernels"
      else printf "sm_%s: %d kernels, at most %d registers\n", arch, kernels[arch], most[arch]
    }
    exit bad
  }'
