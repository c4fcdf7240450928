// The gallery's kernels without a bug: for the GPU, and by way of correct.cpp for the CPU.

#include "run.hpp"

namespace gallery {

template std::size_t run_hopper<Bug::kNone, 1, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNone, 1, core::fp16>(const Sizes&);
template std::size_t run_hopper<Bug::kNone, 2, core::bf16>(const Sizes&);
template std::size_t run_hopper<Bug::kNone, 2, core::fp16>(const Sizes&);
template std::size_t run_ampere<Bug::kNone, core::bf16>(const Sizes&);
template std::size_t run_ampere<Bug::kNone, core::fp16>(const Sizes&);
template std::size_t run_register_a<Bug::kNone, core::bf16>(const Sizes&);
template std::size_t run_register_a<Bug::kNone, core::fp16>(const Sizes&);

}  // namespace gallery
