// The counters of asynchronous copies, tensor cores and mbarriers, and the L2 model.

#include "asynchrony.hpp"
#include "counted.hpp"
#include "counters_kernels.hpp"

#include <core/error.hpp>
#include <runtime/l2_model.hpp>

#include <cstdlib>
#include <vector>

namespace {

Counters counters_of(const char* kernel) {
  return counters_after([&] { run_traced_async(kernel); });
}

void check_matrices(const char* kernel, Count each_way) {
  CAPTURE(kernel);
  const Counters counters = counters_of(kernel);
  check(counters, "ldmatrix", each_way);
  check(counters, "stmatrix", each_way);
  check(counters, "shared_load", kNone);
  check(counters, "shared_store", kNone);
}

void check_copies(const char* kernel, Count global, Count shared) {
  CAPTURE(kernel);
  const Counters counters = counters_of(kernel);
  check(counters, "cp_async_global", global);
  check(counters, "cp_async_shared", shared);
  for (const char* name : {"global_load", "shared_store"}) check(counters, name, kNone);
}

struct Boxes {
  double load, shared, multicast, store;
};
void check_boxes(const char* kernel, Boxes expected) {
  CAPTURE(kernel);
  const Counters counters = counters_of(kernel);
  CHECK(counters.at("tma_load_bytes") == expected.load);
  CHECK(counters.at("tma_shared_bytes") == expected.shared);
  CHECK(counters.at("tma_multicast_bytes") == expected.multicast);
  CHECK(counters.at("tma_store_bytes") == expected.store);
}

// CPU_BACKEND_L2 while it lives.
struct L2Size {
  explicit L2Size(const char* text) { setenv("CPU_BACKEND_L2", text, 1); }
  ~L2Size() { unsetenv("CPU_BACKEND_L2"); }
};

// A log of requests of one line each.
runtime::L2Log log_of(const std::vector<std::uint64_t>& lines) {
  runtime::L2Log log;
  for (const std::uint64_t line : lines) {
    log.read(line * runtime::kL2Line + 64, 1);
    log.end_of_request();
  }
  return log;
}

// Hits of gangs of `blocks` blocks, added last first.
std::uint64_t hits(const char* bytes, std::size_t blocks,
                   const std::vector<std::vector<std::uint64_t>>& gangs) {
  const L2Size size(bytes);
  runtime::reset_l2_logs();
  std::uint64_t lines = 0;
  for (std::size_t gang = gangs.size(); gang-- > 0; lines += gangs[gang].size()) {
    runtime::add_l2_log(gang, blocks, log_of(gangs[gang]));
  }
  const runtime::L2Result result = runtime::run_l2_model();
  CHECK(result.lines == lines);
  runtime::reset_l2_logs();
  return result.hits;
}

}  // namespace

TEST_CASE("wavefronts of ldmatrix and stmatrix: the rows of a matrix by eighths of the banks") {
  check_matrices("matrices_x4_dense", {1, 4, 512});
  check_matrices("matrices_x2_dense", {1, 2, 256});
  check_matrices("matrices_x1_dense", {1, 1, 128});
  check_matrices("matrices_same_row", {1, 4, 512});
  check_matrices("matrices_two_way", {1, 8, 512});
  check_matrices("matrices_eight_way", {1, 32, 512});
  check_matrices("matrices_padded", {1, 4, 512});
  check_matrices("matrices_swizzled", {1, 4, 512});
}

TEST_CASE("cp.async counts on both sides; lanes that only write zeros read nothing") {
  check_copies("copies_16", {1, 16, 512}, {1, 4, 512});
  check_copies("copies_4", {1, 4, 128}, {1, 1, 128});
  check_copies("copies_conflict", {1, 16, 512}, {1, 32, 512});
  check_copies("copies_8_of_32", {1, 4, 128}, {1, 4, 512});
  check_copies("copies_of_nobody", kNone, {1, 4, 512});
  check_copies("copies_cut_off", {1, 32, 512}, {1, 4, 512});
}

TEST_CASE("cp.async writes more sectors than it reads where rows begin in the middle of one") {
  const auto check_written = [](const char* kernel, double read, double written) {
    CAPTURE(kernel);
    const Counters counters = counters_of(kernel);
    CHECK(counters.at("cp_async_global_sectors") == read);
    CHECK(counters.at("cp_async_shared_sectors") == written);
  };
  check_written("copies_16", 16, 16);
  check_written("copies_padded_8", 16, 4 + 5 + 4 + 5);  // rows of 128 bytes, 144 apart
  check_written("copies_padded_4", 16, 4 * 2 + 4 * 3);  // rows of 64 bytes, 80 apart
}

TEST_CASE("TMA: bytes inside the tensor are read and stored, whole boxes arrive") {
  check_boxes("box_inside", {256, 256, 0, 256});
  check_boxes("box_twice", {512, 512, 0, 256});
  check_boxes("box_clipped", {64, 256, 0, 64});  // 2 rows of 8 floats are left of 4 of 16
  check_boxes("box_outside", {0, 256, 0, 0});
}

TEST_CASE("TMA: a multicast is read once and arrives in every block") {
  check_boxes("multicast_both", {256, 512, 512, 0});
  check_boxes("multicast_one", {256, 256, 0, 0});
}

TEST_CASE("operations: two for a multiplication and a sum") {
  CHECK(counters_of("mma_three_times").at("tensor_flops") == 3 * 2 * 16 * 8 * 16);
  CHECK(counters_of("wgmma_twice").at("tensor_flops") == 2 * 2 * 64 * 8 * 16);
  CHECK(counters_of("fmas").at("fma_flops") == 2 * (5 * 32 + 8));
  CHECK(counters_of("fmas").at("tensor_flops") == 0);
}

TEST_CASE("waits for mbarriers, and those that were not over at once") {
  const auto check_waits = [](const char* kernel, double waits, double blocked) {
    CAPTURE(kernel);
    const Counters counters = counters_of(kernel);
    CHECK(counters.at("mbarrier_waits") == waits);
    CHECK(counters.at("mbarrier_waits_blocked") == blocked);
  };
  const KeepSettings keep;
  check_waits("waits", 3 * 32, 0);
  check_waits("box_twice", 2, 2);  // late: nothing lands before somebody waits
  runtime::set_policy("early");
  check_waits("box_twice", 2, 0);
}

TEST_CASE("arrivals at mbarriers: one for a warp, whoever takes part") {
  CHECK(counters_of("arrivals").at("mbarrier_arrivals") == 3);
  CHECK(counters_of("waits").at("mbarrier_arrivals") == 1);
  CHECK(counters_of("copies_16").at("mbarrier_arrivals") == 0);
}

TEST_CASE("what the asynchronous words do is counted alike under every policy") {
  under_every_policy([] {
    check_matrices("matrices_two_way", {1, 8, 512});
    check_copies("copies_8_of_32", {1, 4, 128}, {1, 4, 512});
    check_boxes("box_clipped", {64, 256, 0, 64});
    check_boxes("multicast_both", {256, 512, 512, 0});
    CHECK(counters_of("wgmma_twice").at("tensor_flops") == 2 * 2 * 64 * 8 * 16);
    CHECK(counters_of("read_lines").at("l2_model_hits") == 2 * 16);
  });
}

// --- The L2 model ------------------------------------------------------------------------------

TEST_CASE("L2: the least recently used line gives way") {
  CHECK(hits("384", 1, {{0, 1, 2, 0, 1, 2}}) == 3);
  CHECK(hits("256", 1, {{0, 1, 2, 0, 1, 2}}) == 0);
  CHECK(hits("256", 1, {{0, 1, 0, 2, 1, 0}}) == 1);  // 2 displaces 1, not the older 0
  CHECK(hits("256", 1, {{0, 1, 0, 2, 0, 1}}) == 2);
  CHECK(hits("383", 1, {{0, 1, 2, 0, 1, 2}}) == 0);  // whole lines
}

TEST_CASE("L2: blocks that run side by side take turns") {
  CHECK(hits("128", 1, {{0, 1, 2, 3}, {0, 1, 2, 3}}) == 4);
  CHECK(hits("128", 66, {{0, 1, 2, 3}, {0, 1, 2, 3}}) == 4);
  CHECK(hits("128", 67, {{0, 1, 2, 3}, {0, 1, 2, 3}}) == 0);  // only one gang of 67 fits
  // The third takes the place of the first, which ends early: 7 1 | 2 2 | 3 3.
  CHECK(hits("128", 66, {{7}, {1, 2, 3}, {2, 3}}) == 2);
  CHECK(hits("128", 132, {{7}, {1, 2, 3}, {2, 3}}) == 0);
}

TEST_CASE("L2: a request asks for each of its lines once, and launches follow each other") {
  runtime::L2Log log;
  for (const std::uint64_t address : {120, 0, 250, 100}) log.read(address, 16);
  log.end_of_request();
  log.end_of_request();  // an empty one is none
  CHECK(log.requests() == 1);
  CHECK(log.lines() == std::vector<std::uint64_t>{0, 1, 2});

  const L2Size size("128");
  for (const bool apart : {false, true}) {
    runtime::reset_l2_logs();
    runtime::add_l2_log(0, 1, log_of({0, 1}));
    if (apart) runtime::end_l2_launch();
    runtime::add_l2_log(apart ? 0 : 1, 1, log_of({0, 1}));
    CHECK(runtime::run_l2_model().hits == (apart ? 0 : 2));
  }
  runtime::reset_l2_logs();
}

TEST_CASE("L2: what kernels read by cp.async and TMA, in a cache of CPU_BACKEND_L2 bytes") {
  const auto check_lines = [](const char* kernel, double lines, double expected) {
    CAPTURE(kernel);
    const Counters counters = counters_of(kernel);
    CHECK(counters.at("l2_model_lines") == lines);
    CHECK(counters.at("l2_model_hits") == expected);
  };
  check_lines("read_lines", 3 * 16, 2 * 16);
  check_lines("copies_of_nobody", 0, 0);
  check_lines("box_inside", 4, 0);  // rows of 64 bytes, 128 apart
  check_lines("box_twice", 8, 4);
  check_lines("multicast_both", 4, 0);
  check_lines("fmas", 0, 0);
  const L2Size one_line("128");
  check_lines("box_twice", 8, 0);
  check_lines("read_lines", 3 * 16, 0);  // four lines a request: each block displaces its own
}

TEST_CASE("L2: 60 MiB unless CPU_BACKEND_L2 says otherwise; nonsense is refused") {
  CHECK(runtime::l2_bytes() == 60u << 20);
  {
    const L2Size size("1000000");
    CHECK(runtime::l2_bytes() == 1000000);
  }
  for (const char* text : {"", "50M", "-1", "127", "99999999999999999999999"}) {
    const L2Size size(text);
    CAPTURE(text);
    std::string message;
    try {
      runtime::l2_bytes();
    } catch (const core::Refused& error) {
      message = error.what();
    }
    CHECK(message == std::string("CPU_BACKEND_L2=") + text + ": expected bytes, 128 or more");
  }
}
