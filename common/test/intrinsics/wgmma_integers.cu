// wgmma of 8-bit integers.

#include "wgmma_forms.hpp"

namespace intrinsics {

const Register kIntegers([](Cases& cases) {
  using core::s8, core::u8;
  add_type<s8, s8, std::int32_t>(cases);
  add_type<s8, u8, std::int32_t>(cases);
  add_type<u8, s8, std::int32_t>(cases);
  add_type<u8, u8, std::int32_t>(cases);
});

}  // namespace intrinsics
