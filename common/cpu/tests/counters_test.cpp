// The counters against counts made by hand.

#include "counted.hpp"
#include "counters_kernels.hpp"

#include <runtime/coalescing.hpp>
#include <runtime/settings.hpp>
#include <test/catch.hpp>

#include <cstdint>

namespace {

Counters counters_of(const char* kernel) {
  return counters_after([&] { run_traced(kernel); });
}

void check_global(const char* kernel, Count load, Count store) {
  CAPTURE(kernel);
  const Counters counters = counters_of(kernel);
  check(counters, "global_load", load);
  check(counters, "global_store", store);
  check(counters, "shared_load", kNone);
  check(counters, "shared_store", kNone);
}

void check_shared(const char* kernel, Count load, Count store) {
  CAPTURE(kernel);
  const Counters counters = counters_of(kernel);
  check(counters, "global_load", kNone);
  check(counters, "global_store", kNone);
  check(counters, "shared_load", load);
  check(counters, "shared_store", store);
}

}  // namespace

TEST_CASE("this program is traced") {
  CHECK(runtime::tracing());
}

TEST_CASE("sectors per request of global loads and stores") {
  check_global("load_bf16_row", {1, 2, 64}, {1, 2, 64});
  check_global("load_bf16_column", {1, 32, 64}, {1, 4, 128});
  check_global("load_bf16_shifted", {1, 3, 64}, {1, 4, 128});
  check_global("load_same", {1, 1, 64}, {1, 4, 128});
  check_global("store_from_one_lane", kNone, {1, 1, 4});
  check_global("copy_by_two_warps", {6, 24, 768}, {6, 24, 768});  // 3 blocks of 2 warps
}

TEST_CASE("a vector word is one access of its full width") {
  check_global("load_vectors", {1, 16, 512}, {1, 16, 512});
  check_global("load_vectors_strided", {1, 32, 512}, {1, 16, 512});
}

TEST_CASE("lanes held back by a predicate take no part, and a request of nobody is none") {
  check_global("load_under_predicate", {4, 16 + 12 + 8 + 4, 16 * (32 + 24 + 16 + 8)}, {1, 16, 512});
  check_global("load_at_odd_turns", {2, 2 + 4, 4 * (16 + 32)}, kNone);
}

TEST_CASE("lanes that skip a turn fall into step when the warp meets") {
  check_global("load_in_step_after_barrier", {2, 2 + 2, 4 * (16 + 16)}, kNone);
}

TEST_CASE("wavefronts per request of shared loads and stores") {
  check_shared("smem_row", {1, 1, 128}, {1, 1, 128});
  check_shared("smem_column", {1, 32, 128}, {1, 32, 128});
  check_shared("smem_padded_column", {1, 1, 128}, {1, 1, 128});
  check_shared("smem_broadcast", {1, 1, 128}, kNone);
  check_shared("smem_halves", {1, 32, 64}, {1, 1, 64});
  check_shared("smem_vectors", {1, 4, 512}, {1, 4, 512});
  check_shared("smem_pairs", {1, 2, 256}, {1, 2, 256});
  check_shared("smem_vectors_strided", {1, 32, 512}, kNone);
  check_shared("smem_dynamic", kNone, {1, 32, 128});
}

TEST_CASE("stacks and host memory are not counted") {
  check_shared("host_and_stack", kNone, kNone);
}

TEST_CASE("barriers are counted once per block") {
  CHECK(counters_of("barriers").at("block_barriers") == 15);
}

TEST_CASE("counts do not depend on the order of lanes and warps, nor on the workers") {
  for (const char* policy : {"late", "random:3", "random:4"}) {
    for (const int workers : {1, 3}) {
      runtime::set_policy(policy);
      runtime::set_workers(workers);
      check_global("copy_by_two_warps", {6, 24, 768}, {6, 24, 768});
      check_global("load_under_predicate", {4, 40, 1280}, {1, 16, 512});
      check_shared("smem_column", {1, 32, 128}, {1, 32, 128});
    }
  }
  runtime::set_policy("late");
  runtime::set_workers(0);
}

// --- The two models by themselves -------------------------------------------------------------

namespace {

template <class Address>
runtime::Request request(std::uint32_t bytes, std::uint32_t active, Address address_of) {
  runtime::Request out;
  out.bytes = bytes;
  out.active = active;
  for (std::uint64_t lane = 0; lane < 32; ++lane) out.address[lane] = address_of(lane);
  return out;
}

}  // namespace

TEST_CASE("sectors: distinct pieces of 32 bytes, whatever the order of the lanes") {
  using runtime::global_sectors;
  CHECK(global_sectors(request(4, ~0u, [](auto l) { return 4096 + 4 * l; })) == 4);
  CHECK(global_sectors(request(4, ~0u, [](auto l) { return 4096 + 4 * (31 - l); })) == 4);
  CHECK(global_sectors(request(4, ~0u, [](auto l) { return 4096 + 4 * (l * 7 % 32); })) == 4);
  CHECK(global_sectors(request(4, ~0u, [](auto l) { return 4096 + 128 * (l % 4); })) == 4);
  CHECK(global_sectors(request(4, 0x80000001u, [](auto l) { return 4096 + 4 * l; })) == 2);
  CHECK(global_sectors(request(4, 0, [](auto l) { return l; })) == 0);
  CHECK(global_sectors(request(8, 1, [](auto) { return 4096 + 28; })) == 2);  // straddles
}

TEST_CASE("wavefronts: the busiest bank of each phase") {
  const auto shared_wavefronts = [](const runtime::Request& r) {
    return runtime::shared_wavefronts(r, runtime::Direction::kStore);
  };
  // Two lanes per word, 16 words: conflict-free. Stride 2 words: two lanes per bank.
  CHECK(shared_wavefronts(request(4, ~0u, [](auto l) { return l / 2 * 4; })) == 1);
  CHECK(shared_wavefronts(request(4, ~0u, [](auto l) { return l * 8; })) == 2);
  CHECK(shared_wavefronts(request(4, 0xffffu, [](auto l) { return l * 8; })) == 1);
  CHECK(shared_wavefronts(request(4, ~0u, [](auto l) { return l * 12; })) == 1);
  CHECK(shared_wavefronts(request(4, 0, [](auto l) { return l; })) == 0);
  // 8 bytes: phases of 16 lanes; 16 bytes: of 8. A phase without active lanes takes no time.
  CHECK(shared_wavefronts(request(8, ~0u, [](auto l) { return l * 16; })) == 4);
  CHECK(shared_wavefronts(request(16, 0xffu, [](auto l) { return l * 16; })) == 1);
  CHECK(shared_wavefronts(request(16, 0x01010101u, [](auto l) { return l * 16; })) == 4);
  CHECK(shared_wavefronts(request(16, ~0u, [](auto l) { return l * 32; })) == 8);
  // The same 16 bytes for everybody: stores do not share phases.
  CHECK(shared_wavefronts(request(16, ~0u, [](auto) { return 64; })) == 4);
  // Rows of 128 bytes, read as a column of 16-byte pieces: plain, and with the row number xored in.
  CHECK(shared_wavefronts(request(16, ~0u, [](auto l) { return l * 128; })) == 32);
  CHECK(shared_wavefronts(request(16, ~0u, [](auto l) { return l * 128 + (l % 8) * 16; })) == 4);
}

TEST_CASE("wavefronts: wide loads whose neighbours agree take half the phases") {
  const auto loads = [](unsigned bytes, std::uint32_t active, auto piece) {
    const auto at = [&](auto lane) { return piece(lane) * bytes; };
    return runtime::shared_wavefronts(request(bytes, active, at), runtime::Direction::kLoad);
  };
  const auto bit_1_dropped = [](auto l) { return (l & 1) | (l >> 2) << 1; };
  // Every line as counted by ncu on an H200. 8 bytes:
  CHECK(loads(8, ~0u, [](auto l) { return l; }) == 2);
  CHECK(loads(8, ~0u, [](auto l) { return l / 2; }) == 1);
  CHECK(loads(8, ~0u, bit_1_dropped) == 1);
  CHECK(loads(8, ~0u, [](auto l) { return l % 8; }) == 2);
  CHECK(loads(8, ~0u, [](auto) { return 0; }) == 1);
  CHECK(loads(8, ~0u, [](auto l) { return l * 2; }) == 4);
  CHECK(loads(8, ~0u, [](auto l) { return l / 2 * 2; }) == 2);
  CHECK(loads(8, ~0u, [](auto l) { return (l & 3) | (l >> 3) << 2; }) == 2);  // bit 2 is no help
  CHECK(loads(8, ~0u, [](auto l) { return l == 1 ? 40 : l / 2; }) == 2);      // all or none
  CHECK(loads(8, 0x55555555u, [](auto l) { return l / 2; }) == 1);  // absent lanes do not object
  // 16 bytes, first the patterns of chapters 02 and 03:
  CHECK(loads(16, ~0u, [](auto l) { return l; }) == 4);
  CHECK(loads(16, ~0u, [](auto l) { return l / 16 * 2; }) == 2);
  CHECK(loads(16, ~0u, [](auto l) { return l % 16 * 2; }) == 8);
  CHECK(loads(16, ~0u, [](auto l) { return l / 4; }) == 2);
  CHECK(loads(16, ~0u, [](auto l) { return l % 4; }) == 4);
  CHECK(loads(16, ~0u, bit_1_dropped) == 2);
  CHECK(loads(16, ~0u, [](auto) { return 0; }) == 2);
  CHECK(loads(16, ~0u, [](auto l) { return l % 8; }) == 4);
  CHECK(loads(16, ~0u, [](auto l) { return l / 2 * 2; }) == 4);
  CHECK(loads(16, ~0u, [](auto l) { return l == 1 ? 40 : l / 2; }) == 5);
  CHECK(loads(16, ~0u, [](auto l) { return l * 8; }) == 32);
  CHECK(loads(16, 0xffu, [](auto l) { return l; }) == 1);
  CHECK(loads(16, 0x0f0fu, [](auto l) { return l / 2; }) == 1);
  CHECK(loads(16, 0x00ff00ffu, [](auto l) { return l; }) == 2);
}
