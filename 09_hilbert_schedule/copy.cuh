#include "plan.cuh"

using namespace hilbert_schedule;

// 128x256 tiles, two consumers, 4 stages, with every trick.
using Chosen = Config<Tiles<128, 256, 4, 2>>;

template <class T>
Plan<T, Chosen> make_plan(const gemm::Problem& problem) {
  const auto g = operands<T>(problem);
  if (!can_store_boxes(problem)) {
    throw core::Refused(std::string(kName) + ": N must be a multiple of 8, rows of C aligned");
  }
  return prepare<T, Chosen>(g, Route{});
}
