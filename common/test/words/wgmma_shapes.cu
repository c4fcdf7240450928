// wgmma: every N, both types, fp32 accumulators; operands K-major with the 128-byte swizzle, as TMA
// leaves them, and B N-major as well.

#include "wgmma_kernel.hpp"

namespace words {

namespace wgmma_shapes {

template <class T, int N>
void add(Cases& cases) {
  using enum core::Major;
  using enum core::SwizzleMode;
  for (const WgmmaForm& form :
       {wgmma_form<T, float, N, kK, kK, false>(), wgmma_form<T, float, N, kK, kMn, false>()}) {
    add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 1, true);
    add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 4, false);
    add_wgmma(cases, form, k128B, k128B, Spread::kPacked, 4, true);
  }
}

template <class T>
void add_shapes(Cases& cases) {
  add<T, 8>(cases);
  add<T, 16>(cases);
  add<T, 32>(cases);
  add<T, 64>(cases);
  add<T, 96>(cases);
  add<T, 128>(cases);
  add<T, 160>(cases);
  add<T, 192>(cases);
  add<T, 208>(cases);
  add<T, 256>(cases);
}

}  // namespace wgmma_shapes

Cases wgmma_shape_cases() {
  using namespace wgmma_shapes;
  Cases cases;
  add_shapes<core::bf16>(cases);
  add_shapes<core::fp16>(cases);
  return cases;
}

}  // namespace words
