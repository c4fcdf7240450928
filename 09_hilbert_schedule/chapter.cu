#include "choose.hpp"
#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace hilbert_schedule;

using Wide = Tiles<128, 256, 4, 2>;
using Tall = Tiles<256, 128, 4, 2>;
using Broad = Tiles<128, 384, 3, 2, 192>;
using Square = Tiles<192, 192, 4, 3>;
using Large = Tiles<192, 256, 4, 3, 128>;
using Flat = Tiles<192, 96, 6, 3>;
using Block = Tiles<128, 128, 6, 2>;
using Small = Tiles<64, 128, 8, 1>;
using Upright = Tiles<128, 64, 8, 2>;
using SmallPair = Tiles<64, 128, 6, 1>;  // for blocks that share B
using Tiny = Tiles<64, 64, 8, 1>;
using TinyDeep = Tiles<64, 64, 12, 1>;
using Slim = Tiles<64, 32, 8, 1>;
using SlimDeep = Tiles<64, 32, 16, 1>;

struct Immediate : Ways<> {
  static constexpr bool kDeferred = false;
};
struct InFlight : Ways<> {
  static constexpr int kInFlight = 1;
};
template <int CM_>
struct AtOnce : Ways<CM_, 1> {
  static constexpr bool kDeferred = false;
  static constexpr int kInFlight = 1;
};
template <Rows kRows_, bool kDeferred_, int CM_ = 1, int CN_ = 1>
struct Direct : Ways<CM_, CN_> {
  static constexpr Rows kRows = kRows_;
  static constexpr Store kStore = Store::kDirect;
  static constexpr bool kDeferred = kDeferred_;
};
using Dealt = Direct<Rows::kDealt, false>;
struct Full : Dealt {  // stages take all that there is
  static constexpr bool kColumn = false;
};
// As chapter 08 does it. Where a block has one tile of C, there is nothing to defer to, and a
// single consumer has to keep the tensor cores busy by itself.
template <int CM_ = 1, int CN_ = 1, Rows kRows_ = Rows::kDealt>
struct Before : Direct<kRows_, false, CM_, CN_> {
  static constexpr int kInFlight = 1;
};
// The same by blocks that divide K.
template <int kSplit_, Rows kRows_ = Rows::kDealt>
struct Split : Direct<kRows_, false> {
  static constexpr int kInFlight = 1, kSplit = kSplit_;
};
template <core::Major kA, core::Major kB, Store kStore_>
struct Majors : Ways<> {
  static constexpr auto kMajorA = kA, kMajorB = kB;
  static constexpr Store kStore = kStore_;
};
template <class C>
harness::Plan plan(const gemm::Problem& problem, const Route& route) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return hilbert_schedule::prepare<T, C>(operands<T>(problem), route);
  });
}

// Operands that are not both contiguous along K: wide tiles.
harness::Plan with_majors(const gemm::Problem& problem, const Route& route) {
  using core::Major;
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity || problem.c_type != problem.type) {
    throw core::Refused(std::string(kName) +
                        ": with an epilogue or with C in fp32, takes A and B with K contiguous "
                        "(layout tn) only");
  }
  const auto plan_for = [&]<Major kA, Major kB>() {
    if (can_store_boxes(problem)) {
      return plan<Config<Wide, Majors<kA, kB, Store::kTma>>>(problem, route);
    }
    return plan<Config<Wide, Majors<kA, kB, Store::kDirect>>>(problem, route);
  };
  if (problem.a_major == Major::kK) return plan_for.template operator()<Major::kK, Major::kMn>();
  if (problem.b_major == Major::kK) return plan_for.template operator()<Major::kMn, Major::kK>();
  return plan_for.template operator()<Major::kMn, Major::kMn>();
}

// Wide tiles, not small ones?
bool wants_wide(const gemm::Problem& problem) {
  const Shape shape{problem.m, problem.n, problem.k};
  const int sms = gpu::sm_count();
  return microseconds(kWide, shape, sms) <= microseconds(kSmall, shape, sms);
}

// With an epilogue: wide tiles or small ones, rows of B dealt out so that neighbours in C, and what
// the epilogue reads for them, belong to one thread. C in fp32: wide tiles, stored at once.
harness::Plan with_epilogue(const gemm::Problem& problem, const Route& route) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return with_functor<T>(problem, [&]<class F>(const F& functor) -> harness::Plan {
      using hilbert_schedule::prepare;
      if (problem.c_type == gemm::DataType::kFp32) {
        using Fp32 = Config<Wide, Direct<Rows::kPlain, false>>;
        return prepare<T, Fp32, F, float>(operands<T, float>(problem), route, functor);
      }
      const auto g = operands<T>(problem);
      if (!can_deal(problem)) {
        using Plain = Config<Wide, Direct<Rows::kPlain, true>>;
        return prepare<T, Plain>(g, route, functor);
      }
      if (wants_wide(problem)) {
        // What C holds is read into the registers in which results are on their way.
        using Epilogue = Direct<Rows::kDealt, !F::kReadsC>;
        return prepare<T, Config<Wide, Epilogue>>(g, route, functor);
      }
      return prepare<T, Config<Small, Before<>>>(g, route, functor);
    });
  });
}

// Do rows of A and B begin at sectors of 32 bytes?
bool sector_rows(const gemm::Problem& problem) {
  return problem.lda % 16 == 0 && problem.ldb % 16 == 0;
}

// Where rows of B cannot be dealt out, or C not be stored in boxes. Rows that begin in the middle
// of sectors cost the L2 twice as many requests: blocks share B then.
harness::Plan otherwise(const gemm::Problem& problem, const Route& route) {
  const bool wide = wants_wide(problem);
  if (!can_store_boxes(problem)) {
    if (wide) return plan<Config<Wide, Direct<Rows::kPlain, true>>>(problem, route);
    return plan<Config<Small, Before<1, 1, Rows::kPlain>>>(problem, route);
  }
  if (sector_rows(problem) || problem.m <= Small::BM) {
    if (wide) return plan<Config<Wide>>(problem, route);
    return plan<Config<Small, AtOnce<1>>>(problem, route);
  }
  if (!wide) return plan<Config<SmallPair, AtOnce<2>>>(problem, route);
  if (problem.m <= 2 * Wide::BM) return plan<Config<Wide, Ways<2, 1>>>(problem, route);
  return plan<Config<Wide, Ways<4, 1>>>(problem, route);
}

// So, where that is possible.
template <class Tiles, class Ways_ = Ways<>>
harness::Plan prepare(const gemm::Problem& problem, const Route& route) {
  gemm::validate(problem, kName);
  if (problem.a_major != core::Major::kK || problem.b_major != core::Major::kK) {
    return with_majors(problem, route);
  }
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity || problem.c_type != problem.type) {
    return with_epilogue(problem, route);
  }
  const bool dealt = Ways_::kRows == Rows::kDealt, boxes = Ways_::kStore == Store::kTma;
  if ((dealt && !can_deal(problem)) || (boxes && !can_store_boxes(problem))) {
    return otherwise(problem, route);
  }
  return plan<Config<Tiles, Ways_>>(problem, route);
}

// K divided by kSplit blocks, unless tiles are enough for all SMs: more blocks would only have more
// sums to store.
template <class Tiles, int kSplit>
harness::Plan split(const gemm::Problem& problem, const Route& route) {
  gemm::validate(problem, kName);
  const unsigned tiles = gemm::tile_count(static_cast<int>(problem.m), static_cast<int>(problem.n),
                                          Tiles::BM, Tiles::BN, kName);
  if (tiles > static_cast<unsigned>(gpu::sm_count() / kSplit)) {
    return prepare<Tiles, Before<>>(problem, route);
  }
  if (!can_deal(problem)) return prepare<Tiles, Split<kSplit, Rows::kPlain>>(problem, route);
  return prepare<Tiles, Split<kSplit>>(problem, route);
}

// The variant that goes about it in this way.
template <class Tiles, class Ways_ = Ways<>>
harness::Variant variant(std::string name, std::string summary, const Route& route = {}) {
  return {std::move(name), std::move(summary),
          [route](const gemm::Problem& problem) { return prepare<Tiles, Ways_>(problem, route); }};
}

// Wide tiles, also where rows begin in the middle of sectors.
harness::Plan wide(const gemm::Problem& problem, const Route& route) {
  if (sector_rows(problem)) return prepare<Wide>(problem, route);
  if (problem.m <= 2 * Wide::BM) return prepare<Wide, Ways<2, 1>>(problem, route);
  return prepare<Wide, Ways<4, 1>>(problem, route);
}

// Slim tiles, of which many are to be on the way; but no more stages than there are steps of K, for
// each has barriers to set up.
harness::Plan slim(const gemm::Problem& problem, const Route& route) {
  if (problem.k <= Slim::kStages * Slim::BK) return prepare<Slim, Before<>>(problem, route);
  return prepare<SlimDeep, Before<>>(problem, route);
}

// How each tiling that choose.hpp knows is computed.
using Prepare = harness::Plan (*)(const gemm::Problem&, const Route&);
struct Known {
  const Tiling& tiling;
  Prepare prepare;
  const char* summary;
};
const Known kKnown[] = {
    {kWide, wide, "128x256 tiles, with every trick"},
    {kWideOnce, prepare<Wide, Before<>>, "128x256 tiles, as chapter 08"},
    {kLarge, prepare<Large, Full>, "192x256 tiles, three consumers, stored at once"},
    {kSquare, prepare<Square>, "192x192 tiles, three consumers"},
    {kFlat, prepare<Flat, Before<>>, "192x96 tiles, three consumers, as chapter 08"},
    {kFlatPair, prepare<Flat, Before<1, 2>>, "192x96 tiles, two blocks of a cluster share A"},
    {kBlock, prepare<Block, Before<>>, "128x128 tiles, as chapter 08"},
    {kBlockPair, prepare<Block, Before<2, 1>>, "128x128 tiles, two blocks of a cluster share B"},
    {kSmall, prepare<Small, Before<>>, "64x128 tiles, as chapter 08"},
    {kUpright, prepare<Upright, Before<>>, "128x64 tiles, two consumers, as chapter 08"},
    {kTiny, prepare<Tiny, Before<>>, "64x64 tiles, as chapter 08"},
    {kTinyDeep, prepare<TinyDeep, Before<>>, "64x64 tiles, more of them on the way"},
    {kSlim, slim, "64x32 tiles, as chapter 08"},
    {kSmallSplit, split<Small, 2>, "64x128 tiles, two blocks divide K"},
    {kTinySplit, split<TinyDeep, 2>, "64x64 tiles, two blocks divide K"},
    {kSlimSplit, split<SlimDeep, 4>, "64x32 tiles, four blocks divide K"},
};

// The tiling that should take least time.
harness::Plan by_size(const gemm::Problem& problem, const Route& route) {
  gemm::validate(problem, kName);
  const Shape shape{problem.m, problem.n, problem.k};
  const Known* best = std::begin(kKnown);
  for (const Known& known : kKnown) {
    const auto time = [&](const Known& k) {
      return microseconds(k.tiling, shape, gpu::sm_count());
    };
    if (time(known) < time(*best)) best = &known;
  }
  return best->prepare(problem, route);
}
harness::Variant by_size_variant(std::string name, std::string summary, const Route& route = {}) {
  return {std::move(name), std::move(summary),
          [route](const gemm::Problem& problem) { return by_size(problem, route); }};
}

// One for each tiling.
std::vector<harness::Variant> tilings() {
  std::vector<harness::Variant> out;
  for (const Known& known : kKnown) {
    out.push_back(
        {known.tiling.name, known.summary, [prepare = known.prepare](const gemm::Problem& problem) {
           return prepare(problem, Route{});
         }});
  }
  return out;
}

// Everything, and each trick left out or done otherwise.
std::vector<harness::Variant> tricks() {
  return {
      variant<Wide>("wide", "128x256 tiles, with every trick"),
      variant<Wide, Immediate>("immediate", "a tile stored before the next one begins"),
      variant<Wide, Direct<Rows::kDealt, true>>("direct", "stored by the threads themselves"),
      variant<Wide, Dealt>("direct_immediate", "both: chapter 08's stores"),
      variant<Wide>("no_reversal", "every tile from the start of K", {.reverse = false}),
      variant<Wide>("no_keep", "the L2 not asked to keep A", {.keep = false}),
      variant<Wide>("no_policies", "the L2 not asked for anything",
                    {.keep = false, .streaming = false}),
      variant<Wide>("groups", "every group of rows from the left", {.order = Order::kGroups}),
      variant<Wide>("groups_of_8", "groups of 8 rows of tiles", {.group_rows = 8}),
      variant<Wide>("hilbert", "tiles along a Hilbert curve", {.order = Order::kHilbert}),
      variant<Wide>("row_major", "tiles row by row", {.order = Order::kRows}),
      variant<Wide>("all_sms", "all SMs, also where fewer are done as soon",
                    {.whole_rounds = false}),
      variant<Wide>("not_aligned", "groups' columns cut by the rounds of tiles",
                    {.aligned = false}),
      by_size_variant("no_trim", "by_size, rows that A does not have brought as zeros",
                      {.trim = false}),
      by_size_variant("no_patches", "by_size, one round of tiles row by row", {.patches = false}),
      variant<Wide, InFlight>("in_flight", "one tile along K in flight"),
      variant<Wide, Ways<2, 1>>("cluster_2x1", "clusters in which two blocks share B"),
      variant<Wide, Ways<1, 2>>("cluster_1x2", "clusters in which two blocks share A"),
  };
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> out = {by_size_variant("by_size", "tiles that suit the size")};
  for (harness::Variant& v : tricks()) out.push_back(std::move(v));
  for (harness::Variant& v : tilings()) {
    if (v.name != "wide") out.push_back(std::move(v));
  }
  out.push_back(variant<Tall>("tall", "256x128 tiles"));
  out.push_back(variant<Broad, Dealt>("broad", "128x384 tiles, stored at once by the threads"));
  out.push_back(by_size_variant("overlapped",
                                "by_size, each launch begun while the one before it finishes",
                                {.overlapped = true}));
  return out;
}

const harness::Registration registration({
    .name = kName,
    .title = "Hilbert schedule",
    .idea = "stored while the next is multiplied, tiles in an order that the L2 likes",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants = variants(),
    .layouts = {"tn", "nn", "nt", "tt"},
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .fp32_c = true,
    .tma_operands = true,
    .tunings = tilings(),
    .ablations = tricks(),
});

}  // namespace
