// Registers the product: by_size, every tiling, and the tricks one by one.

#include "tilings.hpp"

#include <harness/chapter.hpp>

#include <algorithm>
#include <vector>

namespace every_shape {

namespace {

using gemm::Problem;
using Policy = LaunchPolicy;

template <Policy kPolicy>
harness::Plan by_size(const Problem& problem) {
  return with_workspace(choose(problem).prepare(problem, kPolicy));
}
// The tiling of large problems.
template <Policy kPolicy>
harness::Plan wide(const Problem& problem) {
  static const BuiltTiling& built = *std::ranges::find_if(
      tilings(), [](const auto& t) { return t.tiling.name() == "128x256_tma"; });
  return with_workspace(built.prepare(problem, kPolicy));
}

std::vector<harness::Variant> tuning_variants() {
  std::vector<harness::Variant> out;
  for (const BuiltTiling& built : tilings()) {
    out.push_back({built.tiling.name(), "one tiling for every size", built.prepare_as_usual});
  }
  return out;
}

// by_size, done otherwise.
std::vector<harness::Variant> otherwise() {
  return {
      {"no_trim", "by_size, rows that A does not have loaded as zeros",
       by_size<Policy{.trim_boxes = false}>},
      {"no_gpc_local", "by_size, one wave of tiles row by row",
       by_size<Policy{.gpc_local = false}>},
      {"no_promotion", "by_size, L2 promotion to 128 bytes for all",
       by_size<Policy{.promote = false}>},
      {"overlapped", "by_size, each launch begun while the one before it finishes",
       by_size<Policy{.programmatic = true}>},
  };
}

// Each trick left out or done otherwise.
std::vector<harness::Variant> ablations() {
  std::vector<harness::Variant> out = {
      {"wide", "128x256 tiles, with every trick", wide<Policy{}>},
      {"no_reversal", "every tile from the start of K", wide<Policy{.reverse_k = false}>},
      {"no_policies", "the L2 not asked to evict C first", wide<Policy{.evict_c_first = false}>},
      {"groups", "every group of rows from the left", wide<Policy{Rasterization::kGroups}>},
      {"no_lock_step", "producers that do not wait for each other",
       wide<Policy{.lock_step = false}>},
      {"row_major", "tiles row by row", wide<Policy{Rasterization::kRows}>},
      {"all_sms", "all SMs, also where fewer are done as soon", wide<Policy{.whole_waves = false}>},
  };
  for (harness::Variant& variant : otherwise()) {
    if (variant.name != "overlapped") out.push_back(std::move(variant));
  }
  for (harness::Variant& variant : more_ablations()) out.push_back(std::move(variant));
  return out;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> out = {{"by_size", "tiles that suit the size", by_size<Policy{}>}};
  for (auto& list : {tuning_variants(), otherwise()}) {
    out.insert(out.end(), list.begin(), list.end());
  }
  return out;
}

const harness::Registration registration({
    .name = "every_shape",
    .title = "Every shape",
    .idea = "the tiling, the order and the way of storing that suit the problem",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants = variants(),
    .layouts = {"tn", "nn", "nt", "tt"},
    .epilogues = {"identity", "alpha_beta", "bias", "bias_relu", "bias_gelu", "bias_silu"},
    .fp32_c = true,
    .tma_operands = true,
    .tunings = tuning_variants(),
    .ablations = ablations(),
});

}  // namespace
}  // namespace every_shape
