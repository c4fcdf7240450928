// wgmma of tf32 and of 8-bit floats.

#include "wgmma_forms.hpp"

namespace intrinsics {

template <class A, class B>
void add_float8(Cases& cases) {
  add_type<A, B, float>(cases);
  add_type<A, B, std::uint32_t>(cases);
}

const Register kFloats([](Cases& cases) {
  using core::e4m3, core::e5m2;
  add_type<core::tf32, core::tf32, float>(cases);
  add_float8<e4m3, e4m3>(cases);
  add_float8<e4m3, e5m2>(cases);
  add_float8<e5m2, e4m3>(cases);
  add_float8<e5m2, e5m2>(cases);
});

}  // namespace intrinsics
