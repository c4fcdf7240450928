// C that does not take wide stores: N not in multiples of 8, or an address or a distance of rows
// that is not one of 16 bytes.

#include "build_tiling.cuh"
#include "choose.hpp"

every_shape::AnyPlan every_shape::prepare_narrow_stores(const gemm::Problem& problem,
                                                        const LaunchPolicy& policy) {
  using Wide = Tile<128, 256, 4, 2>;
  using Small = Tile<64, 128, 8, 1>;
  if (wants_wide(problem)) return linear_plan_of<PlainRows<Direct<Wide>>>(problem, policy);
  return linear_plan_of<PlainRows<AtOnce<Small>>>(problem, policy);
}
