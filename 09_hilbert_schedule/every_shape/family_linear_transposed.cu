// Tiles of the transpose of C, with a bias and an activation.

#include "family.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_linear_transposed() {
  return linear_members<T<64, 32>, StreamK<T<64, 32>>, T<64, 40>, T<64, 48>, T<64, 56>,
                        StreamK<T<64, 72>>, T<64, 80>, StreamK<T<64, 80>>, T<64, 88>, T<64, 96>,
                        T<64, 112>, T<64, 120>, T<128, 72>, T<128, 88>, T<128, 144>, T<128, 152>,
                        T<128, 168>, T<128, 200>, Transposed<DeferredByTma<128, 224>>,
                        Transposed<DeferredByTma<128, 240>>, T<192, 144>>();
}

}  // namespace every_shape
