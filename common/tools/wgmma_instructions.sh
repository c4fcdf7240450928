#!/usr/bin/env bash
# Prints <gpu/wgmma_instructions.hpp>: one function for each form of PTX wgmma.mma_async. An asm statement
# names every register of D, so no template can write it. The build puts the output into its own folder.
#
#   wgmma_instructions.sh [WIDTH...]     WIDTH: N of m64nN, a multiple of 8 up to 256
#
# TYPES in the environment: "D.AB" with D the accumulators' type and AB the operands', as PTX names them
# (f32.bf16 f32.f16 f16.f16; also f32.tf32, f32.e4m3, f32.e5m2, s32.s8, s32.u8). T of the function is
# core::AB, but for f16, which is core::fp16.
set -eu
[ $# -gt 0 ] || set -- 8 $(seq 16 16 256)
types=${TYPES:-f32.bf16 f32.f16 f16.f16}

numbers() { # numbers COUNT FIRST FORMAT: comma-separated
  # shellcheck disable=SC2046,SC2059
  printf ", $3" $(seq "$2" $(($1 + $2 - 1))) | cut -c3-
}
instruction() { # instruction WIDTH TYPE shared|registers
  local n=$1 d=${2%.*} ab=${2#*.} count=$(($1 / 2)) element=float constraint=+f k=16 word
  local immediates="kSignA kSignB kTransA kTransB" values=" p" a="std::uint64_t a" inputs='"l"(a)'
  case $d in
    f16) count=$((n / 4)) element=std::uint32_t constraint=+r ;;
    s32) element=std::int32_t constraint=+r immediates= ;;
  esac
  case $ab in
    tf32) k=8 immediates="kSignA kSignB" ;;
    e4m3 | e5m2) k=32 immediates="kSignA kSignB" ;;
    s8 | u8) k=32 ;;
  esac
  local a_text=%$count b=$((count + 1))
  if [ "$3" = registers ]; then
    a="const std::uint32_t (&a)[4]" inputs=$(numbers 4 0 '"r"(a[%d])')
    a_text="{$(numbers 4 "$count" %%%d)}" b=$((count + 4)) immediates=${immediates/kTransA /}
  fi
  local next=$((b + 2))
  inputs+=', "l"(b), "r"(accumulate)'
  for word in $immediates; do inputs+=", \"n\"($word)" values+=", %$((next++))"; done
  cat <<END

template <std::same_as<core::${ab/#f16/fp16}> T, int kSignA, int kSignB, int kTransA, int kTransB>
__device__ void wgmma_instruction($element (&d)[$count], $a, std::uint64_t b,
                                  int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %$((b + 1)), 0;\n"
      "wgmma.mma_async.sync.aligned.m64n${n}k$k.$d.$ab.$ab {$(numbers "$count" 0 %%%d)}, "
      "$a_text, %$b,$values;\n}\n"
      : $(numbers "$count" 0 "\"$constraint\"(d[%d])")
      : $inputs);
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
for type in $types; do
  for width in "$@"; do
    for place in ${PLACES:-shared registers}; do instruction "$width" "$type" $place; done
  done
done
printf '\n}  // namespace gpu::detail\n'
