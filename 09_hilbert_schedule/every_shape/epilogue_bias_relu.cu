// C = max(A B^T + bias, 0).

#include "epilogues.cuh"

template every_shape::Prepare every_shape::prepare_with_bias<gemm::BiasRelu>;
