#pragma once

namespace core {

// The direction in which an operand of a matrix product, A (M, K) or B (N, K), is contiguous in
// memory: along K, or along M or N.
enum class Major { kK, kMn };

}  // namespace core
