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
using Medium = Tiles<128, 128, 6, 1>;
using Small = Tiles<64, 128, 8, 1>;
using Tiny = Tiles<64, 64, 8, 1>;

struct Immediate : Ways<> {
  static constexpr bool kDeferred = false;
};
struct InFlight : Ways<> {
  static constexpr int kInFlight = 1;
};
template <Rows kRows_, bool kDeferred_>
struct Direct : Ways<> {
  static constexpr Rows kRows = kRows_;
  static constexpr Store kStore = Store::kDirect;
  static constexpr bool kDeferred = kDeferred_;
};
using Dealt = Direct<Rows::kDealt, false>;
template <core::Major kA, core::Major kB, Store kStore_>
struct Majors : Ways<> {
  static constexpr auto kMajorA = kA, kMajorB = kB;
  static constexpr Store kStore = kStore_;
};
// As chapter 08 does it. Where a block has one tile of C, there is nothing to defer to, and a
// single consumer has to keep the tensor cores busy by itself.
struct Before : Dealt {
  static constexpr int kInFlight = 1;
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
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity) {
    throw core::Refused(std::string(kName) +
                        ": with an epilogue, takes A and B with K contiguous (layout tn) only");
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

// Rounds of tiles that the device needs, an SM for each.
template <class Tiles>
std::int64_t rounds(const gemm::Problem& problem) {
  const auto ceil_div = [](std::int64_t value, std::int64_t by) { return (value + by - 1) / by; };
  const std::int64_t tiles = ceil_div(problem.m, Tiles::BM) * ceil_div(problem.n, Tiles::BN);
  return std::max<std::int64_t>(1, ceil_div(tiles, gpu::sm_count()));
}

// What a tiling is worth for a problem: how fast it is with all SMs busy (wide tiles: 100), and
// which share of the multiplications that its rounds have room for are the problem's.
template <class Tiles>
double score(const gemm::Problem& problem, double speed) {
  const auto room = rounds<Tiles>(problem) * gpu::sm_count() * Tiles::BM * Tiles::BN;
  return speed * static_cast<double>(problem.m) * static_cast<double>(problem.n) /
         static_cast<double>(room);
}

// With an epilogue: wide tiles or small ones, rows of B dealt out so that neighbours in C, and what
// the epilogue reads for them, belong to one thread.
harness::Plan with_epilogue(const gemm::Problem& problem, const Route& route) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    return with_functor<T>(problem, [&]<class F>(const F& functor) -> harness::Plan {
      using hilbert_schedule::prepare;
      if (!can_deal(problem) || !can_read_runs(problem.epilogue)) {
        return prepare<T, Config<Wide, Direct<Rows::kPlain, true>>>(g, route, functor);
      }
      if (score<Wide>(problem, 100) >= score<Small>(problem, 85)) {
        // What C holds is read into the registers in which results are on their way.
        return prepare<T, Config<Wide, Direct<Rows::kDealt, !F::kReadsC>>>(g, route, functor);
      }
      return prepare<T, Config<Small, Before>>(g, route, functor);
    });
  });
}

// So, where C can be stored so; otherwise by stores of one or two results.
template <class Tiles, class Ways_ = Ways<>>
harness::Plan prepare(const gemm::Problem& problem, const Route& route) {
  gemm::validate(problem, kName);
  if (problem.a_major != core::Major::kK || problem.b_major != core::Major::kK) {
    return with_majors(problem, route);
  }
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity) return with_epilogue(problem, route);
  const bool possible = Ways_::kRows == Rows::kDealt ? can_deal(problem) : can_store_boxes(problem);
  if (possible) return plan<Config<Tiles, Ways_>>(problem, route);
  return plan<Config<Wide, Direct<Rows::kPlain, true>>>(problem, route);
}

// The variant that goes about it in this way.
template <class Tiles, class Ways_ = Ways<>>
harness::Variant variant(std::string name, std::string summary, const Route& route = {}) {
  return {std::move(name), std::move(summary),
          [route](const gemm::Problem& problem) { return prepare<Tiles, Ways_>(problem, route); }};
}

// The tiling with the best score.
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  struct Choice {
    double score;
    harness::Plan (*prepare)(const gemm::Problem&, const Route&);
  };
  const Choice choices[] = {
      {score<Wide>(problem, 100),
       rounds<Wide>(problem) == 1 ? prepare<Wide, Before> : prepare<Wide>},
      {score<Large>(problem, problem.k >= 16384 ? 101 : 97), prepare<Large, Dealt>},
      {score<Square>(problem, 96), prepare<Square>},
      {score<Flat>(problem, 92), prepare<Flat, Before>},
      {score<Medium>(problem, 93), prepare<Medium, Before>},
      {score<Small>(problem, 85), prepare<Small, Before>},
      {score<Tiny>(problem, 50), prepare<Tiny, Before>},
  };
  const Choice* best = std::begin(choices);
  for (const Choice& choice : choices) {
    if (choice.score > best->score) best = &choice;
  }
  return best->prepare(problem, Route{});
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
      variant<Wide, InFlight>("in_flight", "one tile along K in flight"),
      variant<Wide, Ways<2, 1>>("cluster_2x1", "clusters in which two blocks share B"),
      variant<Wide, Ways<1, 2>>("cluster_1x2", "clusters in which two blocks share A"),
  };
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> out = {{"by_size", "tiles that suit the size", by_size}};
  for (harness::Variant& v : tricks()) out.push_back(std::move(v));
  out.push_back(variant<Tall>("tall", "256x128 tiles"));
  out.push_back(variant<Broad, Dealt>("broad", "128x384 tiles, stored at once by the threads"));
  out.push_back(variant<Square>("square", "192x192 tiles, three consumers"));
  out.push_back(variant<Large, Dealt>("large", "192x256 tiles, three consumers, stored at once"));
  out.push_back(variant<Flat, Before>("flat", "192x96 tiles, three consumers, as chapter 08"));
  out.push_back(variant<Medium, Before>("medium", "128x128 tiles, as chapter 08"));
  out.push_back(variant<Small, Before>("small", "64x128 tiles, as chapter 08"));
  out.push_back(variant<Tiny, Before>("tiny", "64x64 tiles, as chapter 08"));
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
    .ablations = tricks(),
});

}  // namespace
