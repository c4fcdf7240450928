// C = GELU(A B^T + bias), by tanh.

#include "epilogues.cuh"

template every_shape::Prepare every_shape::prepare_with_bias<gemm::BiasGelu>;
