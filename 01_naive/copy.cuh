#include "plan.cuh"

using namespace naive;

// Given: float high == unused.

// One of the chapter's mappings of threads to C: Strided or Coalesced.
using Chosen = Strided;

constexpr const char* kNeeds = "nothing";
bool fits(const auto& /*operands*/) {
  return true;
}
