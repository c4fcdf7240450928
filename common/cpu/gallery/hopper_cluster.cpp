// The hopper kernel with bugs in clusters of two blocks.

#include "run.hpp"

namespace gallery {

template std::size_t run_hopper<Bug::kPeerLeavesEarly, 2, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kMulticastMask, 2, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kClusterArrivals, 2, core::bf16>(const Sizes&);

}  // namespace gallery
