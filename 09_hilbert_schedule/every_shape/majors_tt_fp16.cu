// Layout tt, fp16: A is contiguous along K, B along N.
#include "majors_tiles.cuh"

template every_shape::Prepare
    every_shape::prepare_majors<core::fp16, core::Major::kK, core::Major::kMn>;
template const every_shape::TilingChoice&
every_shape::choice_of_majors<core::fp16, core::Major::kK, core::Major::kMn>();
