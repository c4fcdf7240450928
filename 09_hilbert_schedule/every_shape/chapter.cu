// Registers the product: by_size, every tiling, and the tricks one by one.

#include "tilings.hpp"

#include <harness/chapter.hpp>

#include <algorithm>
#include <vector>

namespace every_shape {

// The tilings that this program holds.
const std::vector<BuiltTiling>& tilings() {
  static const std::vector<BuiltTiling> list = [] {
    std::vector<BuiltTiling> out = {
        built<prepare_wide>(kWide, "128x256 tiles, with every trick"),
        built<prepare_wide_once>(kWideOnce, "128x256 tiles, at once"),
        built<prepare_flat_pair>(kFlatPair, "192x96 tiles, two blocks of a cluster share A"),
        built<prepare_block_pair>(kBlockPair, "128x128 tiles, two blocks of a cluster share B"),
        built<prepare_small>(kSmall, "64x128 tiles, at once"),
        built<prepare_tiny_deep>(kTinyDeep, "64x64 tiles, many stages"),
        built<prepare_slim>(kSlim, "64x32 tiles, at once"),
        built<prepare_slim_split>(kSlimSplit, "64x32 tiles, four blocks divide K"),
    };
    for (BuiltTiling& tiling : more().tilings) out.push_back(std::move(tiling));
    return out;
  }();
  return list;
}

// By the tiling that should take least time.
harness::Plan prepare_by_size(const gemm::Problem& problem, const LaunchPolicy& policy) {
  const auto time = [&, sms = gpu::sm_count()](const BuiltTiling& built) {
    return microseconds(*built.tiling, problem, sms);
  };
  const auto less = [&](const auto& a, const auto& b) { return time(a) < time(b); };
  return std::min_element(tilings().begin(), tilings().end(), less)->prepare(problem, policy);
}

harness::Plan prepare_fallback(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (wants_wide(problem)) return prepare_wide_fallback(problem, policy);
  return prepare_small_fallback(problem, policy);
}

namespace {

using gemm::Problem;

std::vector<harness::Variant> tuning_variants() {
  std::vector<harness::Variant> out;
  for (const BuiltTiling& built : tilings()) out.push_back(built.variant);
  return out;
}

// by_size, done otherwise.
std::vector<harness::Variant> otherwise() {
  return {
      {"no_trim", "by_size, rows that A does not have loaded as zeros",
       [](const Problem& p) { return prepare_by_size(p, {.trim_boxes = false}); }},
      {"no_gpc_local", "by_size, one wave of tiles row by row",
       [](const Problem& p) { return prepare_by_size(p, {.gpc_local = false}); }},
      {"overlapped", "by_size, each launch begun while the one before it finishes",
       [](const Problem& p) { return prepare_by_size(p, {.programmatic = true}); }},
  };
}

// Each trick left out or done otherwise.
std::vector<harness::Variant> ablations() {
  std::vector<harness::Variant> out = {
      {"wide", "128x256 tiles, with every trick", prepare_as_usual<prepare_wide>},
      {"no_reversal", "every tile from the start of K",
       [](const Problem& p) { return prepare_wide(p, {.reverse_k = false}); }},
      {"no_keep", "the L2 not asked to keep A",
       [](const Problem& p) { return prepare_wide(p, {.keep_a = false}); }},
      {"no_policies", "the L2 not asked for anything",
       [](const Problem& p) { return prepare_wide(p, {.keep_a = false, .evict_c_first = false}); }},
      {"groups", "every group of rows from the left",
       [](const Problem& p) { return prepare_wide(p, {Rasterization::kGroups}); }},
      {"groups_of_8", "groups of 8 rows of tiles",
       [](const Problem& p) { return prepare_wide(p, {.group_rows = 8}); }},
      {"hilbert", "tiles along a Hilbert curve",
       [](const Problem& p) { return prepare_wide(p, {Rasterization::kHilbert}); }},
      {"row_major", "tiles row by row",
       [](const Problem& p) { return prepare_wide(p, {Rasterization::kRows}); }},
      {"all_sms", "all SMs, also where fewer are done as soon",
       [](const Problem& p) { return prepare_wide(p, {.whole_waves = false}); }},
      {"not_aligned", "groups' columns cut by the waves of tiles",
       [](const Problem& p) { return prepare_wide(p, {.aligned_waves = false}); }},
  };
  for (harness::Variant& variant : otherwise()) {
    if (variant.name != "overlapped") out.push_back(std::move(variant));
  }
  for (harness::Variant& variant : more().ablations) out.push_back(std::move(variant));
  return out;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> out = {
      {"by_size", "tiles that suit the size", prepare_as_usual<prepare_by_size>}};
  for (auto& list : {tuning_variants(), more().variants, otherwise()}) {
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
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .fp32_c = true,
    .tma_operands = true,
    .tunings = tuning_variants(),
    .ablations = ablations(),
});

}  // namespace
}  // namespace every_shape
