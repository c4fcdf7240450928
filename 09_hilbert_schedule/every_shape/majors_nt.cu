// Layout nt: A is contiguous along M, B along N.

#include "majors.cuh"

template every_shape::Prepare every_shape::prepare_majors<core::Major::kMn, core::Major::kMn>;
