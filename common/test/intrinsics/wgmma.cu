// wgmma of bf16 and fp16: every N, both types of accumulators; every major and swizzle of both
// operands, A from registers, and signs at some N.

#include "wgmma_forms.hpp"

namespace intrinsics::wgmma {

void add(Cases& cases, const Form& form, const Setting& setting) {
  add_form(cases, "wgmma", form, setting);
}

// For each pair of swizzles (of B alone, where A comes from registers): one instruction that
// overwrites D, and four that add to it.
void add_swizzles(Cases& cases, const Form& form) {
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    if (form.a_registers && swizzle_a != kNone) continue;
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      add(cases, form, {swizzle_a, swizzle_b, false, 1, false});
      add(cases, form, {swizzle_a, swizzle_b, true, 4, true});
    }
  }
}

template <class T, class D, bool kFromRegisters>
void add_signs(Cases& cases) {
  const std::integer_sequence<int, 32> only;
  for (const Form& signs : {form<T, T, D, kK, kK, kFromRegisters, -1, 1>(32, only),
                            form<T, T, D, kK, kK, kFromRegisters, 1, -1>(32, only),
                            form<T, T, D, kK, kK, kFromRegisters, -1, -1>(32, only)}) {
    add(cases, signs, {k128B, k128B, false, 1, false});
    add(cases, signs, {k128B, k128B, false, 4, true});
  }
}

// At each width operands K-major with the 128-byte swizzle, as TMA leaves them, and B N-major as
// well. At two widths all six forms, of both operands from shared memory in all majors, and of A
// from registers with B in both, with every swizzle.
template <class T, class D>
void add_type(Cases& cases) {
  const AllWidths all;
  for (int n = 8; n <= 256; n += 8) {
    std::vector<Form> forms = {form<T, T, D, kK, kK, false>(n, all)};
    if constexpr (std::same_as<D, float>) {
      forms.push_back(form<T, T, D, kK, kMn, false>(n, all));
    }
    for (const Form& shape : forms) {
      add(cases, shape, {k128B, k128B, false, 1, true});
      add(cases, shape, {k128B, k128B, false, 4, false});
      if (shape.sum == Sum::kF32) add(cases, shape, {k128B, k128B, false, 4, true});
    }
  }
  const std::integer_sequence<int, 32, 256> both;
  for (const int n : {32, 256}) {
    add_swizzles(cases, form<T, T, D, kK, kK, false>(n, both));
    add_swizzles(cases, form<T, T, D, kK, kMn, false>(n, both));
    add_swizzles(cases, form<T, T, D, kMn, kK, false>(n, both));
    add_swizzles(cases, form<T, T, D, kMn, kMn, false>(n, both));
    add_swizzles(cases, form<T, T, D, kK, kK, true>(n, both));
    add_swizzles(cases, form<T, T, D, kK, kMn, true>(n, both));
  }
  add_signs<T, D, false>(cases);
  add_signs<T, D, true>(cases);
}

const Register kCases([](Cases& cases) {
  add_type<core::bf16, float>(cases);
  add_type<core::fp16, float>(cases);
  add_type<core::fp16, std::uint32_t>(cases);
});

}  // namespace intrinsics::wgmma
