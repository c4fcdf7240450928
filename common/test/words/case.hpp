#pragma once
// One-instruction tests of the words in gpu/. A case runs a kernel of a few lines on random data
// and returns what came out beside what the instruction's definition (PTX ISA) says must come out,
// worked out on the host by code of its own. The same cases run on both backends: agreement, bit
// for bit, is what makes the CPU backend believable.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace words {

struct Outcome {
  std::vector<std::uint32_t> got, expected;
};

// Named "family/form/what is special about it", without blanks. The data are drawn from the name.
struct Case {
  std::string name;
  std::function<Outcome()> run;
};

using Cases = std::vector<Case>;

Cases cp_async_cases();
Cases ldmatrix_cases();
Cases mma_cases();
Cases mbarrier_cases();
Cases tma_load_cases();
Cases tma_store_cases();
Cases tma_short_row_cases();
Cases cluster_cases();
Cases multicast_cases();
Cases wgmma_shape_cases();
Cases wgmma_form_cases();
Cases wgmma_wide_form_cases();
Cases wgmma_half_cases();
Cases wgmma_group_cases();
Cases wgmma_tma_cases();
Cases sync_cases();
Cases global_cases();
Cases grid_cases();

}  // namespace words
