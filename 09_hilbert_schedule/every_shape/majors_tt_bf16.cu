// Layout tt, bf16: A is contiguous along K, B along N.
#include "majors_tiles.cuh"

template every_shape::Prepare
    every_shape::prepare_majors<core::bf16, core::Major::kK, core::Major::kMn>;
template const every_shape::TilingChoice&
every_shape::choice_of_majors<core::bf16, core::Major::kK, core::Major::kMn>();
