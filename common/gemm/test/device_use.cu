// Compiled, not run: views and predicates work in device code as they are.

#include <gemm/predicate.hpp>
#include <gemm/tensor_view.hpp>

namespace {

using Accesses = gemm::GuardedAccesses<4, 2, 8>;

__global__ void copy_guarded(gemm::MatrixView<const float> from, gemm::MatrixView<float> to) {
  const auto tile = from.part({64, 0}, {32, 32});
  const int row = static_cast<int>(threadIdx.x);
  const Accesses accesses =
      Accesses::of({row, 0, 8, 16}, from.extent(0), from.extent(1), from.ref.layout.ld % 4 == 0);
  for (int i = 0; i < Accesses::kAccesses; ++i) {
    if (!accesses.whole[i] && !accesses.part[i]) continue;
    const int r = row + i / 2 * 8, c = i % 2 * 16;
    const int count = gemm::elements_in_range(c, from.extent(1), 8);
    for (int v = 0; v < count; ++v) {
      if (to.contains(r, c + v))
        to(r, c + v) = from(r, c + v) + (tile.contains(r, c) ? 1.0f : 0.0f);
    }
  }
}

[[maybe_unused]] const auto kernel = &copy_guarded;

}  // namespace
