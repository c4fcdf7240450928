// C = SiLU(A B^T + bias).

#include "epilogues.cuh"

template every_shape::Prepare every_shape::prepare_with_bias<gemm::BiasSilu>;
