// wgmma at N = 256: every major and swizzle of both operands, A from registers.

#include "wgmma_kernel.hpp"

namespace words {

Cases wgmma_wide_form_cases() {
  Cases cases;
  add_wgmma_majors<core::bf16, float, 256>(cases);
  add_wgmma_majors<core::fp16, float, 256>(cases);
  return cases;
}

}  // namespace words
