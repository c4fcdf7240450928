// The hopper kernel with bugs in layouts and in who takes part.

#include "run.hpp"

namespace gallery {

template std::size_t run_hopper<Bug::kSwizzleMode, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kUnalignedTile, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kStrides, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kFourProducers, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kArrivalCount, 1, core::bf16>(const Sizes&);

}  // namespace gallery
