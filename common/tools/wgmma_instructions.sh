#!/usr/bin/env bash
# Prints <gpu/wgmma_instructions.hpp>: one function for each form of PTX wgmma.mma_async. An asm statement
# names every register of D, so no template can write it. The build puts the output into its own folder.
#
#   wgmma_instructions.sh [WIDTH...]     WIDTH: N of m64nN, a multiple of 8 up to 256
set -eu
[ $# -gt 0 ] || set -- 8 16 32 64 96 128 160 192 208 256

numbers() { seq -s ', ' -f "$3" "$2" $(($1 + $2 - 1)); } # numbers COUNT FIRST FORMAT
instruction() { # instruction WIDTH D.AB shared|registers: types of accumulators and of operands
  local n=$1 d=${2%.*} ab=${2#*.} count=$(($1 / 2)) element=float constraint=+f a_count=1
  if [ "$d" = f16 ]; then count=$((n / 4)) element=std::uint32_t constraint=+r; fi
  local a="std::uint64_t a" a_text=%$count a_inputs='"l"(a)' immediates="kSignA kSignB kTransA kTransB"
  if [ "$3" = registers ]; then
    a_count=4 a="const std::uint32_t (&a)[4]" a_inputs=$(numbers 4 0 '"r"(a[%g])')
    a_text="{$(numbers 4 "$count" %%%g)}" immediates=${immediates/kTransA /}
  fi
  local b=$((count + a_count)) values
  values=$(numbers "$(wc -w <<<"$immediates")" $((b + 2)) %%%g)
  cat <<END

template <std::same_as<core::${ab/#f16/fp16}> T, int kSignA, int kSignB, int kTransA, int kTransB>
__device__ void wgmma_instruction($element (&d)[$count], $a, std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %$((b + 1)), 0;\n"
      "wgmma.mma_async.sync.aligned.m64n${n}k16.$d.$ab.$ab {$(numbers "$count" 0 %%%g)}, "
      "$a_text, %$b, p, $values;\n}\n"
      : $(numbers "$count" 0 "\"$constraint\"(d[%g])")
      : $a_inputs, "l"(b), "r"(accumulate), "n"(${immediates// /), \"n\"(}));
}
END
}

cat <<'END'
#pragma once
// Written by common/tools/wgmma_instructions.sh. The array's length and type select the function. No
// "memory" clobber: the fences and waits around the instructions have one and order shared memory.

#include <core/numeric.hpp>

#include <concepts>
#include <cstdint>

namespace gpu::detail {
END
for type in f32.bf16 f32.f16 f16.f16; do
  for width in "$@"; do
    for place in shared registers; do instruction "$width" "$type" $place; done
  done
done
printf '\n}  // namespace gpu::detail\n'
