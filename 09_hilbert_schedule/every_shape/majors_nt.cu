// Layout nt: A is contiguous along M, B along N.

#include "majors.cuh"

template <>
every_shape::AnyPlan every_shape::prepare_majors<every_shape::kMn, every_shape::kMn>(
    const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_fastest<
      kMn, kMn, ByTma<64, 64, 1, 8>, ByTma<64, 64, 2, 4>, StreamK<ByTma<64, 64>>, T<64, 64>,
      StreamK<ByTma<64, 128, 4, 2>>, ByTma<64, 192>, ByTma<128, 64>, ByTma<128, 64, 1, 8>,
      ByTma<128, 64, 4, 2>, T<128, 64>, T<128, 96, 2, 4>, ByTma<128, 112, 4, 2>, T<128, 112, 2, 4>,
      T<128, 128>, T<128, 128, 2, 4>, T<128, 128, 4, 2>, ByTma<128, 144, 2, 4>, T<128, 144, 4, 2>,
      ByTma<128, 160, 4, 2>, T<128, 160, 4, 2>, ByTma<128, 176, 2, 1>, ByTma<128, 192>,
      ByTma<128, 192, 2, 1>, StreamK<ByTma<128, 192>>, ByTma<128, 240, 2, 1>,
      DeferredByTma<128, 256>, Transposed<DeferredByTma<128, 256>>, ByTma<192, 128, 1, 2>,
      ByTma<192, 192, 1, 2>, DeferredByTma<192, 192>>(problem, policy);
}
