// Registers the product: by_size, every tiling, and the tricks one by one.

#include "tilings.hpp"

#include <harness/chapter.hpp>

#include <algorithm>
#include <vector>

namespace every_shape {

namespace {

using gemm::Problem;

harness::Plan by_size(const Problem& problem, const LaunchPolicy& policy) {
  return with_workspace(choose(problem).prepare(problem, policy));
}
// The tiling of large problems.
harness::Plan wide(const Problem& problem, const LaunchPolicy& policy) {
  static const BuiltTiling* const built =
      &*std::find_if(tilings().begin(), tilings().end(),
                     [](const BuiltTiling& t) { return t.tiling.name() == "128x256_tma"; });
  return with_workspace(built->prepare(problem, policy));
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
       [](const Problem& p) { return by_size(p, {.trim_boxes = false}); }},
      {"no_gpc_local", "by_size, one wave of tiles row by row",
       [](const Problem& p) { return by_size(p, {.gpc_local = false}); }},
      {"overlapped", "by_size, each launch begun while the one before it finishes",
       [](const Problem& p) { return by_size(p, {.programmatic = true}); }},
  };
}

// Each trick left out or done otherwise.
std::vector<harness::Variant> ablations() {
  std::vector<harness::Variant> out = {
      {"wide", "128x256 tiles, with every trick", [](const Problem& p) { return wide(p, {}); }},
      {"no_reversal", "every tile from the start of K",
       [](const Problem& p) { return wide(p, {.reverse_k = false}); }},
      {"no_keep", "the L2 not asked to keep A",
       [](const Problem& p) { return wide(p, {.keep_a = false}); }},
      {"no_policies", "the L2 not asked for anything",
       [](const Problem& p) { return wide(p, {.keep_a = false, .evict_c_first = false}); }},
      {"groups", "every group of rows from the left",
       [](const Problem& p) { return wide(p, {Rasterization::kGroups}); }},
      {"groups_of_8", "groups of 8 rows of tiles",
       [](const Problem& p) { return wide(p, {.group_rows = 8}); }},
      {"hilbert", "tiles along a Hilbert curve",
       [](const Problem& p) { return wide(p, {Rasterization::kHilbert}); }},
      {"row_major", "tiles row by row",
       [](const Problem& p) { return wide(p, {Rasterization::kRows}); }},
      {"all_sms", "all SMs, also where fewer are done as soon",
       [](const Problem& p) { return wide(p, {.whole_waves = false}); }},
      {"not_aligned", "groups' columns cut by the waves of tiles",
       [](const Problem& p) { return wide(p, {.aligned_waves = false}); }},
  };
  for (harness::Variant& variant : otherwise()) {
    if (variant.name != "overlapped") out.push_back(std::move(variant));
  }
  for (harness::Variant& variant : more_ablations()) out.push_back(std::move(variant));
  return out;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> out = {
      {"by_size", "tiles that suit the size", [](const Problem& p) { return by_size(p, {}); }}};
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
