// Layout nn: A is contiguous along M, B along K.

#include "majors.cuh"

template every_shape::Prepare every_shape::prepare_majors<core::Major::kMn, core::Major::kK>;
