// The hopper kernel with bugs in what follows a load: wgmma, release, store.

#include "run.hpp"

namespace gallery {

template std::size_t run_hopper<Bug::kReleaseInFlight, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kReleaseLiveStage, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNoWgmmaFence, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kAccumulatorReadEarly, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNoStoreWait, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNoStoreWaitAtExit, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNoProxyFence, 1, core::bf16>(const Sizes&);

}  // namespace gallery
