// wgmma with fp16 accumulators, two to a register: every N, and every major and swizzle at N = 32
// and N = 256.

#include "wgmma_kernel.hpp"

namespace words {

namespace wgmma_half {

template <int N>
void add(Cases& cases) {
  using enum core::Major;
  using enum core::SwizzleMode;
  const WgmmaForm form = wgmma_form<core::fp16, std::uint32_t, N, kK, kK, false>();
  add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 1, true);
  add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 4, false);
}

}  // namespace wgmma_half

Cases wgmma_half_cases() {
  using namespace wgmma_half;
  Cases cases;
  add<8>(cases);
  add<16>(cases);
  add<64>(cases);
  add<96>(cases);
  add<128>(cases);
  add<160>(cases);
  add<192>(cases);
  add<208>(cases);
  add_wgmma_majors<core::fp16, std::uint32_t, 32>(cases);
  add_wgmma_majors<core::fp16, std::uint32_t, 256>(cases);
  return cases;
}

}  // namespace words
