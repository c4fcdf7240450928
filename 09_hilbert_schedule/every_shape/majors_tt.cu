// Layout tt: A is contiguous along K, B along N.

#include "majors.cuh"

template every_shape::Prepare every_shape::prepare_majors<core::Major::kK, core::Major::kMn>;
