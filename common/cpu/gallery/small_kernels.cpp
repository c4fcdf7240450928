// The ampere and register_a kernels with bugs.

#include "run.hpp"

namespace gallery {

template std::size_t run_ampere<Bug::kNoCopyWait, core::bf16>(const Sizes&);
template std::size_t run_ampere<Bug::kCommitInIf, core::bf16>(const Sizes&);
template std::size_t run_ampere<Bug::kNoSyncBefore, core::bf16>(const Sizes&);
template std::size_t run_ampere<Bug::kNoSyncAfter, core::bf16>(const Sizes&);
template std::size_t run_ampere<Bug::kLdmatrixRow, core::bf16>(const Sizes&);
template std::size_t run_ampere<Bug::kCopyUnaligned, core::bf16>(const Sizes&);
template std::size_t run_register_a<Bug::kRegistersRewritten, core::bf16>();
template std::size_t run_register_a<Bug::kRegistersUnfenced, core::bf16>();

}  // namespace gallery
