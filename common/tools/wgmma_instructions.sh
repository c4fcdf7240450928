#!/usr/bin/env bash
# Prints a header of functions, one for each form of PTX wgmma.mma_async. An asm statement names every register
# of D, so no template can write it. The build puts the output into <gpu/HEADER_instructions.hpp>.
#
#   wgmma_instructions.sh HEADER [WIDTH...]     WIDTH: N of m64nN, a multiple of 8 up to 256
#
# HEADER: wgmma, operands in bf16 and fp16; wgmma_others, in the other types.
set -eu
case $1 in
  wgmma) types="f32.bf16.bf16 f32.f16.f16 f16.f16.f16" ;;
  wgmma_others)
    types=$(echo f32.tf32.tf32 {f32,f16}.{e4m3,e5m2}.{e4m3,e5m2} s32.{s8,u8}.{s8,u8}{,.satfinite})
    ;;
  *) echo "wgmma_instructions.sh: no header $1: wgmma or wgmma_others" >&2 && exit 2 ;;
esac
widths=${*:2}

cat <<'END'
#pragma once
// Written by common/tools/wgmma_instructions.sh. The array's length and type select the function. No
// "memory" clobber: the fences and waits around the instructions have one and order shared memory.

#include <core/numeric.hpp>

#include <concepts>
#include <cstdint>

namespace gpu::detail {
END
for type in $types; do
  for width in ${widths:-$(seq 8 8 256)}; do
    for place in shared registers; do echo "$type $width $place"; done
  done
done | awk '
  # COUNT numbers from FIRST on, in FORMAT, separated by commas, with GAP instead of a space in front of each PER-th.
  function numbers(count, first, format, per, gap,   i, text) {
    for (i = 0; i < count; ++i) text = text (i ? "," (i % per ? " " : gap) : "") sprintf(format, first + i)
    return text
  }
  /^s32/ && $2 % 16 && $2 > 24 { next }  # integers have not all widths
  {
    satfinite = split($1, part, ".") == 4
    d = part[1]; a = part[2]; b = part[3]; n = $2; registers = $3 == "registers"
    count = n / (d == "f16" ? 4 : 2)
    element = d == "f32" ? "float" : d == "s32" ? "std::int32_t" : "std::uint32_t"
    constraint = d == "f32" ? "+f" : "+r"
    k = a == "tf32" ? 8 : a ~ /f16/ ? 16 : 32
    immediates = d == "s32" ? "" : ", \"n\"(kSignA), \"n\"(kSignB)"
    if (k == 16) immediates = immediates (registers ? "" : ", \"n\"(kTransA)") ", \"n\"(kTransB)"
    left = registers ? "{" numbers(4, count, "%%%d", 4) "}" : "%" count
    inputs = registers ? numbers(4, 0, "\"r\"(a[%d])", 4) : "\"l\"(a)"
    first = count + (registers ? 4 : 1)  # of the operands behind A
    inputs = inputs ", \"l\"(b), \"r\"(accumulate)" immediates
    last = first + 1 + gsub(/"n"/, "&", immediates)
    values = ""
    for (i = first + 2; i <= last; ++i) values = values ", %" i
    printf "\ntemplate <std::same_as<core::%s> A, std::same_as<core::%s> B, int kSignA, int kSignB,\n",
           a == "f16" ? "fp16" : a, b == "f16" ? "fp16" : b
    printf "          int kTransA, int kTransB>\n__device__ void wgmma_instruction%s(\n",
           satfinite ? "_satfinite" : ""
    printf "    %s (&d)[%d], %s, std::uint64_t b, int accumulate) {\n  asm volatile(\n", element, count,
           registers ? "const std::uint32_t (&a)[4]" : "std::uint64_t a"
    printf "      \"{\\n.reg .pred p;\\nsetp.ne.b32 p, %%%d, 0;\\n\"\n", first + 1
    printf "      \"wgmma.mma_async.sync.aligned.m64n%dk%d%s.%s.%s.%s \"\n      \"{%s}, \"\n", n, k,
           satfinite ? ".satfinite" : "", d, a, b, numbers(count, 0, "%%%d", 15, " \"\n      \"")
    printf "      \"%s, %%%d, p%s;\\n}\\n\"\n", left, first, values
    printf "      : %s\n      : %s);\n}\n", numbers(count, 0, "\"" constraint "\"(d[%d])", 6, "\n        "), inputs
  }'
printf '\n}  // namespace gpu::detail\n'
