#pragma once
// What traced kernels tell the counters while they run.

#include <runtime/current.hpp>

namespace runtime {

// For words in traced kernels: the access they are about to make, at the call's own place.
void trace_word(const void* address, std::size_t bytes, Access kind, bool active, Site where);

// One gpu::fma of a traced kernel.
void count_fma();

void untraced_copy(void* to, const void* from, std::size_t bytes);

}  // namespace runtime
