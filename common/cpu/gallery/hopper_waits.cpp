// The hopper kernel with bugs in the waits of its ring.

#include "run.hpp"

namespace gallery {

template std::size_t run_hopper<Bug::kNoFullWait, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNoEmptyWait, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kEmptyParity, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kFullParity, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kExpectTooFew, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kExpectTooMany, 1, core::bf16>(const Sizes&);

}  // namespace gallery
