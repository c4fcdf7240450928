#pragma once
// Host loops spread over the machine's cores.

#include <cstdint>
#include <functional>

namespace gemm {

// Calls body(i) once for every i in [0, count), on as many threads as the machine has cores (at
// most `count`), in no particular order. Returns when all are done. The body must not throw. One
// call of the body should be worth some ten microseconds.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body);

}  // namespace gemm
