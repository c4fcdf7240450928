// The choice of a tiling.

#include "tiling_choice.hpp"
#include "tuned.hpp"

#include <gemm/inputs.hpp>
#include <test/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

using namespace every_shape;

namespace {

gemm::Problem packed(std::int64_t m, std::int64_t n, std::int64_t k) {
  return gemm::packed_problem(m, n, k, gemm::DataType::kBf16);
}

}  // namespace

TEST_CASE("every_shape: the model of time") {
  const auto time = [](const Tiling& tiling, std::int64_t m, std::int64_t n, std::int64_t k,
                       int sms = 132) {
    return microseconds(tiling, packed(m, n, k), {sms, 4.8e6});
  };
  const Tiling wide{.rows = 128, .cols = 256, .deferred = true, .by_tma = true};
  const Tiling small{.rows = 64, .cols = 128}, pair{.rows = 64, .cols = 128, .share_b = 2};
  for (const double x : {1e-9, 27.0, 3e17})
    CHECK(cube_root(x) == Approx(std::cbrt(x)).epsilon(1e-13));
  // Nothing to do takes what a launch takes; more of anything never takes less.
  CHECK(time(wide, 0, 0, 0) < 10);
  for (const Tiling& tiling : {wide, small, pair}) {
    for (const std::int64_t size : {1, 100, 1000, 4096}) {
      CAPTURE(tiling.name(), size);
      const double here = time(tiling, size, size, size);
      CHECK(here > 0);
      CHECK(time(tiling, 2 * size, size, size) >= here);
      CHECK(time(tiling, size, 2 * size, size) >= here);
      CHECK(time(tiling, size, size, 2 * size) >= here);
      CHECK(time(tiling, size, size, size, 66) >= here);
    }
  }
  // Large tiles for large problems, small ones where there are few.
  CHECK(time(wide, 8192, 8192, 8192) < time(small, 8192, 8192, 8192));
  CHECK(time(small, 1024, 1024, 1024) < time(wide, 1024, 1024, 1024));
  // K is shared out for few tiles with a long K, and not where all waves are full.
  const Tiling slim{.rows = 64, .cols = 32}, shared{.rows = 64, .cols = 32, .stream_k = true};
  CHECK(time(shared, 16, 1024, 8192) < time(slim, 16, 1024, 8192));
  CHECK(time(shared, 64, 33 * 32, 8192) < kNever);
  CHECK(time(shared, 64, 132 * 32, 8192) == kNever);
  // Each of these has 65 k-tiles. Of the rows half begin inside a line, then three quarters, then
  // some inside a sector, which the network sees, too.
  const std::int64_t inside[] = {4128, 4112, 4104};
  CHECK(time(small, 1024, 1024, inside[0]) < time(small, 1024, 1024, inside[1]));
  CHECK(time(small, 1024, 1024, inside[1]) < time(small, 1024, 1024, inside[2]));
  for (int i = 0; i < 3; ++i) {
    const auto seen = inputs(packed(64, 64, inside[i]), DeviceRates{132, 4e6});
    for (int j = 0; j < 3; ++j) CHECK(seen[6 + j] == (i == j ? 1 : 0));
  }
  // Rows in the middle of sectors are worth a cluster.
  CHECK(time(pair, 1000, 1000, 1000) / time(small, 1000, 1000, 1000) <
        time(pair, 1008, 1008, 1008) / time(small, 1008, 1008, 1008));
}

TEST_CASE("every_shape: a tiling's name says what it is, and is its own") {
  CHECK(Tiling{.rows = 128, .cols = 208, .deferred = true}.name() == "128x208_deferred");
  CHECK(Tiling{.rows = 128, .cols = 256, .deferred = true, .by_tma = true}.name() == "128x256_tma");
  CHECK(Tiling{.rows = 64, .cols = 128, .share_b = 2}.name() == "64x128_2x1");
  CHECK(Tiling{.rows = 64, .cols = 32, .stream_k = true}.name() == "64x32_stream_k");
  CHECK(Tiling{.rows = 64, .cols = 96, .transposed = true, .ping_pong = true}.name() ==
        "64x96_pingpong_transposed");
  std::set<std::string> names;
  for (const BuiltTiling& built : tilings()) names.insert(built.tiling.name());
  CHECK(names.size() == tilings().size());
}

TEST_CASE("every_shape: a tiling that was measured for a shape is taken there and nowhere else") {
  const auto problem = packed(1000, 1000, 512), other = packed(1000, 1000, 504);
  for (const BuiltTiling& built : tilings()) {
    const std::string name = built.tiling.name();
    const Tuned tuned[] = {{1000, 1000, 512, "of another program"},
                           {1000, 1000, 512, name.c_str()}};
    CHECK(&choose(problem, tuned) == &built);
    CHECK(&choose(other, tuned) == &choose(other));
  }
}

TEST_CASE("every_shape: the network has two hidden layers of rectified units") {
  Network net = {};
  const Tiling tiling{.rows = 128, .cols = 64, .split_k = 3};
  const DeviceRates device{132, 4e6};
  const FittedTiling known{"", 1, {0, 0.5f}};
  const gemm::Problem problem = packed(100, 100, 100);
  const auto result = [&] {
    return correction(first_sums(tiling, known, net), first_sums(problem, device, net),
                      inputs(Estimate{.total = 8, .mma = 2, .waves = 4, .filled_m = 0.5}), net);
  };
  CHECK(result() == 1);
  net.first_bias[5] = -1;
  net.of_tiling[8 * kFirst + 5] = 3;                  // times split_k - 1: 6
  net.of_estimate[2 * kFirst + 5] = 8;                // times 1 / waves: 2
  net.of_problem[(kOfProblem - 1) * kFirst + 5] = 2;  // times the DRAM's TB/s: 8
  net.of_embedding[1 * kFirst + 5] = 2;               // times the embedding's second: 1
  net.second[5 * kSecond + 7] = 0.25f, net.second_bias[7] = -2, net.out[7] = 0.5f;
  CHECK(result() == Approx(std::exp(0.5 * (16 * 0.25 - 2))));
  net.second_bias[7] = -5;
  CHECK(result() == 1);
  net.first_bias[5] = -20, net.second_bias[7] = 1;
  CHECK(result() == Approx(std::exp(0.5)));
}

TEST_CASE("every_shape: every problem has a tiling, of the model's fastest the best corrected") {
  choose(packed(0, 1, 512));
  const std::int64_t sizes[] = {1, 200, 1000, 3000, 8192};
  int changed = 0;   // by the correction
  int too_slow = 0;  // problems at which some tilings are
  for (int i = 0; i < 125; ++i) {
    const auto problem = packed(sizes[i % 5], sizes[i / 5 % 5], sizes[i / 25]);
    const DeviceRates device = present_device();
    const auto by_model = [&](const Tiling& tiling) {
      return fitted(tiling).factor * microseconds(tiling, problem, device);
    };
    const auto corrected = [&](const Tiling& tiling) {
      const FirstSums of_tiling = first_sums(tiling, fitted(tiling));
      const auto& oriented = tiling.transposed ? transposed(problem) : problem;
      return by_model(tiling) * correction(of_tiling, first_sums(oriented, device),
                                           inputs(estimate(tiling, problem, device)));
    };
    std::vector<BuiltTiling> all = tilings();
    std::ranges::sort(all, {}, [&](const auto& built) { return by_model(built.tiling); });
    const auto first_too_slow = std::ranges::find_if(all, [&](const auto& built) {
      return by_model(built.tiling) >= kCandidatesWithin * by_model(all.front().tiling);
    });
    const auto end = std::min(first_too_slow, all.begin() + kCandidates);
    too_slow += first_too_slow != all.end();
    const auto best = std::ranges::min_element(
        all.begin(), end, {}, [&](const auto& built) { return corrected(built.tiling); });
    CHECK(choose(problem).tiling.name() == best->tiling.name());
    changed += best->tiling.name() != all.front().tiling.name();
  }
  CHECK(changed > 0);
  CHECK(too_slow > 0);
}
