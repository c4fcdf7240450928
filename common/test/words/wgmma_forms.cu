// wgmma at N = 32: every major and swizzle of both operands, A from registers, signs.

#include "wgmma_kernel.hpp"

namespace words {

namespace wgmma_forms {

template <class T, class D, bool kFromRegisters>
void add_signs(Cases& cases) {
  using enum core::Major;
  using enum core::SwizzleMode;
  for (const WgmmaForm& form : {wgmma_form<T, D, 32, kK, kK, kFromRegisters, -1, 1>(),
                                wgmma_form<T, D, 32, kK, kK, kFromRegisters, 1, -1>(),
                                wgmma_form<T, D, 32, kK, kK, kFromRegisters, -1, -1>()}) {
    add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 1, false);
    add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 4, true);
  }
}

}  // namespace wgmma_forms

Cases wgmma_form_cases() {
  using namespace wgmma_forms;
  Cases cases;
  add_wgmma_majors<core::bf16, float, 32>(cases);
  add_wgmma_majors<core::fp16, float, 32>(cases);
  add_signs<core::bf16, float, false>(cases);
  add_signs<core::bf16, float, true>(cases);
  add_signs<core::fp16, float, false>(cases);
  add_signs<core::fp16, float, true>(cases);
  add_signs<core::fp16, std::uint32_t, false>(cases);
  add_signs<core::fp16, std::uint32_t, true>(cases);
  return cases;
}

}  // namespace words
