// Layout nn, fp16: A is contiguous along M, B along K.
#include "majors_tiles.cuh"

template every_shape::Prepare
    every_shape::prepare_majors<core::fp16, core::Major::kMn, core::Major::kK>;
