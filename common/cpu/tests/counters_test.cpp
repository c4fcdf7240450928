// The counters against counts made by hand, and the models behind them. This file is compiled for
// tracing, kernels and all.

#include "support.hpp"

#include <gpu/fma.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/mma.hpp>

#include <runtime/counters.hpp>
#include <runtime/tracer.hpp>

#include <cstdlib>
#include <map>

namespace {

// What kernels work on: 64 KiB of zeros, as bf16 and as floats, and a tensor of (8, 32) floats
// there in boxes of (4, 16).
struct Memory {
  bf16* halves;
  float* floats;
  gpu::TensorMap map;

  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(floats); }
};
using Kernel = void (*)(const Memory);
using Counters = std::map<std::string, double>;

Counters counters_of(const gpu::LaunchShape& shape, Kernel kernel) {
  const DeviceArray<float> memory(std::vector<float>(16 * 1024, 0.0f));
  float* floats = memory.data();
  runtime::reset_counters();
  gpu::launch(kernel, shape, nullptr,
              Memory{reinterpret_cast<bf16*>(floats), floats, map_of(floats, 8, 32, 4, 16)});
  Counters out;
  for (const auto& [name, value] : runtime::read_counters()) out[name] = value;
  return out;
}

// Requests, sectors or wavefronts, and bytes of one kind of access.
struct Count {
  double requests, units, bytes;
};
// What the kernel is counted to do, in one warp unless said otherwise. Kinds of access that are not
// named must not occur.
void counts(const gpu::LaunchShape& shape, const std::map<std::string, Count>& expected,
            Kernel kernel) {
  const Counters counters = counters_of(shape, kernel);
  for (const char* name : {"global_load", "global_store", "shared_load", "shared_store", "ldmatrix",
                           "stmatrix", "cp_async_global", "cp_async_shared"}) {
    const std::string kind = name;
    CAPTURE(kind);
    const Count count = expected.count(kind) > 0 ? expected.at(kind) : Count{0, 0, 0};
    const bool global = kind.find("global") != std::string::npos;
    const std::string unit = kind + (global ? "_sectors" : "_wavefronts");
    CHECK(counters.at(kind + "_requests") == count.requests);
    CHECK(counters.at(unit) == count.units);
    CHECK(counters.at(kind + "_bytes") == count.bytes);
    const double ratio = count.requests > 0 ? count.units / count.requests : 0;
    CHECK(counters.at(unit + "_per_request") == ratio);
  }
}
void counts(const std::map<std::string, Count>& expected, Kernel kernel) {
  counts(one_block(32), expected, kernel);
}

// Other counters of a kernel.
void values(const gpu::LaunchShape& shape, const Counters& expected, Kernel kernel) {
  const Counters counters = counters_of(shape, kernel);
  for (const auto& [name, value] : expected) {
    CAPTURE(name);
    CHECK(counters.at(name) == value);
  }
}

__device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

struct Square {
  float x[32][32];
};
struct Bytes {
  alignas(1024) std::byte x[32 * 128];
};

__device__ Square& square() {
  return gpu::static_smem<Square>();
}

}  // namespace

TEST_CASE("sectors per request of global loads and stores; vectors are one access") {
  counts({{"global_load", {1, 2, 64}}, {"global_store", {1, 4, 128}}}, [](const Memory m) {
    m.floats[1024 + lane()] = m.halves[lane()].bits;  // 64 bytes there
  });
  counts({{"global_load", {1, 32, 64}}, {"global_store", {1, 4, 128}}},
         [](const Memory m) { m.floats[8192 + lane()] = m.halves[lane() * 256].bits; });
  counts({{"global_load", {1, 3, 64}}, {"global_store", {1, 4, 128}}}, [](const Memory m) {
    m.floats[8192 + lane()] = m.halves[lane() + 8].bits;  // 64 bytes from 16: three sectors
  });
  counts({{"global_store", {1, 1, 4}}}, [](const Memory m) {
    if (lane() == 3) m.floats[0] = 1.0f;
  });
  counts({{"global_load", {1, 16, 512}}, {"global_store", {1, 32, 512}}}, [](const Memory m) {
    gpu::store_global(m.halves + lane() * 256, gpu::load_global<8>(m.halves + lane() * 8));
  });
}

TEST_CASE("lanes held back by a predicate take no part, and a request of nobody is none") {
  counts({{"global_load", {4, 16 + 12 + 8 + 4, 16 * (32 + 24 + 16 + 8)}}}, [](const Memory m) {
    for (int i = 0; i < 5; ++i) {  // 32, 24, 16 and 8 lanes, then nobody
      gpu::load_global_if<8>(lane() < 32 - 8 * i, m.halves + lane() * 8);
    }
  });
  counts({{"global_load", {2, 2 + 4, 4 * (16 + 32)}}}, [](const Memory m) {
    // The lanes of the upper half skip a word's first turn: requests of 16 and 32 lanes.
    for (int i = 0; i < 2; ++i)
      gpu::load_global_if<2>(i == 1 || lane() < 16, m.halves + 2 * lane());
  });
  counts({{"global_load", {2, 2 + 2, 4 * (16 + 16)}}}, [](const Memory m) {
    // The halves of the warp take different turns of the loop, and meet after each.
    for (int i = 0; i < 2; ++i) {
      if (i == lane() / 16) gpu::load_global<1>(m.floats + lane());
      gpu::sync_warp();
    }
  });
}

TEST_CASE("wavefronts per request of shared loads and stores") {
  counts({{"shared_load", {1, 1, 128}}, {"shared_store", {1, 32, 128}}},
         [](const Memory) { square().x[lane()][0] = square().x[1][lane()]; });
  counts({{"shared_load", {1, 32, 128}}, {"shared_store", {1, 1, 128}}},
         [](const Memory) { square().x[0][lane()] = square().x[lane()][1]; });
  counts({{"shared_load", {1, 4, 512}}, {"shared_store", {1, 4, 512}}}, [](const Memory) {
    float* at = square().x[0] + 4 * lane();
    gpu::store_shared(at, gpu::load_shared<4>(at));
  });
  counts({{"shared_load", {1, 32, 512}}}, [](const Memory) {
    gpu::load_shared<4>(square().x[lane()]);  // banks 0-3: 8 ways in each of four phases
  });
}

TEST_CASE("stacks and host memory are not counted") {
  CHECK(runtime::traced);
  static int host_table[64] = {};
  counts({}, [](const Memory) {
    volatile float local[8];
    for (int i = 0; i < 100; ++i) local[i % 8] = static_cast<float>(host_table[i % 64]);
    host_table[lane()] = static_cast<int>(local[0]);
  });
}

TEST_CASE("counts do not depend on the order of lanes and warps, nor on the workers") {
  const KeepSettings keep;
  runtime::set_policy(GENERATE("late", "random:3", "random:4"));
  runtime::set_workers(GENERATE(1, 3));
  counts(blocks_of(3, 64), {{"global_load", {6, 24, 768}}, {"global_store", {6, 24, 768}}},
         [](const Memory m) { m.floats[1024 + threadIdx.x] = m.floats[threadIdx.x]; });
  values(blocks_of(3, 64), {{"block_barriers", 15}}, [](const Memory) {
    for (int i = 0; i < 5; ++i) __syncthreads();
  });
}

// --- Asynchronous copies, tensor cores, mbarriers -----------------------------------------------

// Each way, with rows `kPitch` bytes apart, row r of a matrix another r * kShift bytes further.
template <int N, int kPitch, int kShift>
static void matrices(const Memory) {
  std::byte* row = gpu::static_smem<Bytes>().x + lane() * kPitch + lane() % 8 * kShift;
  std::uint32_t registers[N];
  gpu::ldmatrix(registers, row);
  gpu::stmatrix(row, registers);
}
template <int N, int kPitch, int kShift = 0>
static void check_matrices(double wavefronts) {
  const Count each_way = {1, wavefronts, 128 * N};
  counts({{"ldmatrix", each_way}, {"stmatrix", each_way}}, matrices<N, kPitch, kShift>);
}

// Lane i copies kBytes to byte i * kPitch, if i < kLanes.
template <int kBytes, int kPitch, int kLanes>
static void copies(const Memory m) {
  std::byte* to = gpu::static_smem<Bytes>().x + lane() * kPitch;
  gpu::cp_async_if<kBytes>(lane() < kLanes, to, m.bytes() + lane() * kBytes);
  gpu::cp_async_wait_all();
}
// Rows of `kPerRow` lanes, each 16 bytes longer than what is copied.
template <int kPerRow>
static void copies_padded(const Memory m) {
  const int row = lane() / kPerRow, col = lane() % kPerRow;
  std::byte* to = gpu::static_smem<Bytes>().x + (row * (kPerRow + 1) + col) * 16;
  gpu::cp_async<16>(to, m.bytes() + lane() * 16);
  gpu::cp_async_wait_all();
}

// Each block reads the same 16 lines of 128 bytes, four to a request, by cp.async.
static void read_lines(const Memory m) {
  for (int i = 0; i < 4; ++i) {
    const int at = i * 512 + lane() * 16;
    gpu::cp_async<16>(gpu::static_smem<Bytes>().x + at, m.bytes() + at);
  }
  gpu::cp_async_wait_all();
}

// The box at {kColumn, kRow}, `kTimes` over; then back.
template <int kColumn, int kRow, int kTimes>
static void box(const Memory m) {
  gpu::Mbarrier& full = barrier_for(1);
  for (int i = 0; i < kTimes; ++i) {
    full.arrive_and_expect(256);
    gpu::tma_load(shared().tile, m.map, {kColumn, kRow}, full);
    full.wait(i & 1);
  }
  gpu::tma_store(m.map, {kColumn, kRow}, shared().tile);
  gpu::tma_store_commit();
  gpu::tma_store_wait<0>();
}
// A cluster of two; the first block loads for `kMask`, each waits if it is meant.
template <unsigned kMask>
static void multicast(const Memory m) {
  gpu::Mbarrier& full = barrier_for(1);
  const unsigned rank = gpu::cluster_rank();
  const bool meant = (kMask >> rank & 1) != 0;
  if (meant) full.arrive_and_expect(256);
  gpu::cluster_sync();
  if (rank == 0) gpu::tma_load_multicast(shared().tile, m.map, {0, 0}, full, kMask);
  if (meant) full.wait(0);
  gpu::cluster_sync();
}
static Counters boxes(double load, double shared, double multicast, double store) {
  return {{"tma_load_bytes", load},
          {"tma_shared_bytes", shared},
          {"tma_multicast_bytes", multicast},
          {"tma_store_bytes", store}};
}

TEST_CASE("wavefronts of ldmatrix and stmatrix: the rows of a matrix by eighths of the banks") {
  check_matrices<4, 16>(4);
  check_matrices<2, 16>(2);
  check_matrices<1, 16>(1);
  check_matrices<4, 0>(4);  // one row
  check_matrices<4, 32>(8);
  check_matrices<4, 80>(4);
  check_matrices<4, 128>(32);
  check_matrices<4, 128, 16>(4);  // each row begins in another eighth, as with a 128-byte swizzle
}

TEST_CASE("cp.async counts on both sides; lanes that only write zeros read nothing") {
  const auto check = [](Count global, Count shared, double written, Kernel kernel) {
    counts({{"cp_async_global", global}, {"cp_async_shared", shared}}, kernel);
    values(one_block(32), {{"cp_async_shared_sectors", written}}, kernel);
  };
  check({1, 16, 512}, {1, 4, 512}, 16, copies<16, 16, 32>);
  check({1, 4, 128}, {1, 1, 128}, 4, copies<4, 4, 32>);
  check({1, 16, 512}, {1, 32, 512}, 32, copies<16, 128, 32>);
  check({1, 4, 128}, {1, 4, 512}, 16, copies<16, 16, 8>);
  check({0, 0, 0}, {1, 4, 512}, 16, copies<16, 16, 0>);
  // Rows of 128 bytes, 144 apart, and of 64, 80 apart, begin in the middle of a sector.
  check({1, 16, 512}, {1, 4, 512}, 4 + 5 + 4 + 5, copies_padded<8>);
  check({1, 16, 512}, {1, 8, 512}, 4 * 2 + 4 * 3, copies_padded<4>);
}

TEST_CASE("TMA: bytes inside the tensor are read once and stored, whole boxes arrive") {
  under_every_policy([] {
    values(one_block(1), boxes(256, 256, 0, 256), box<16, 4, 1>);
    values(one_block(1), boxes(512, 512, 0, 256), box<0, 0, 2>);
    values(one_block(1), boxes(64, 256, 0, 64), box<24, 6, 1>);  // 2 rows of 8 floats are left
    values(one_block(1), boxes(0, 256, 0, 0), box<0, 8, 1>);
    values(one_cluster(2, 1), boxes(256, 512, 512, 0), multicast<3>);
    values(one_cluster(2, 1), boxes(256, 256, 0, 0), multicast<2>);
  });
}

TEST_CASE("operations: two for a multiplication and a sum") {
  values(one_block(32), {{"tensor_flops", 3 * 2 * 16 * 8 * 16}}, [](const Memory) {
    float d[4] = {};
    const std::uint32_t a[4] = {}, b[2] = {};
    for (int i = 0; i < 3; ++i) gpu::mma_m16n8k16<bf16>(d, a, b);
  });
  values(one_block(128), {{"tensor_flops", 2 * 2 * 64 * 8 * 16}}, [](const Memory) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    for (int stage = 0; stage < 2; ++stage) multiply(acc, stage);
    finish();
  });
  values(one_block(32), {{"fma_flops", 2 * (5 * 32 + 8)}, {"tensor_flops", 0}}, [](const Memory m) {
    float sum = 0.0f;
    for (int i = 0; i < 5; ++i) sum = gpu::fma(2.0f, static_cast<float>(i), sum);
    if (lane() < 8) sum = gpu::fma(sum, sum, sum);
    m.floats[lane()] = sum;
  });
}

TEST_CASE("arrivals at mbarriers, one for a warp; waits, and those that were not over at once") {
  // Two arrivals by five lanes together, one by a lane alone, and one that expects bytes.
  values(one_block(32), {{"mbarrier_arrivals", 3}}, [](const Memory) {
    gpu::Mbarrier& barrier = barrier_for(12);
    for (int i = 0; i < 2; ++i) {
      if (lane() < 5) barrier.arrive();
    }
    if (lane() == 7) barrier.arrive();
    if (lane() == 8) barrier.arrive_and_expect(0);
    barrier.wait(0);
  });
  // Every lane waits for what is over: by parity, before and after a phase, and by token.
  values(one_block(32), {{"mbarrier_waits", 3 * 32}, {"mbarrier_waits_blocked", 0}},
         [](const Memory) {
           gpu::Mbarrier& barrier = barrier_for(1);
           barrier.wait(1);
           gpu::sync_warp();
           if (lane() == 7) barrier.arrive();
           gpu::sync_warp();
           barrier.wait(0);
           barrier.wait_token(0);
         });
  const KeepSettings keep;
  for (const bool early : {false, true}) {  // late: nothing lands before somebody waits
    runtime::set_policy(early ? "early" : "late");
    values(one_block(1), {{"mbarrier_waits", 2}, {"mbarrier_waits_blocked", early ? 0 : 2}},
           box<0, 0, 2>);
  }
}

// --- The models by themselves -------------------------------------------------------------------

TEST_CASE("an access that is not aligned touches two sectors") {
  CHECK(runtime::global_sectors({{4096 + 28}, 1, 8}) == 2);
}

// Of lanes that load or store the pieces of so many bytes with these numbers.
template <class Piece>
static unsigned wavefronts(bool load, unsigned bytes, std::uint32_t active, Piece piece) {
  runtime::Request request = {{}, active, bytes};
  for (std::uint64_t lane = 0; lane < 32; ++lane) request.address[lane] = piece(lane) * bytes;
  return runtime::shared_wavefronts(request, load);
}

TEST_CASE("wavefronts: the busiest bank of each phase") {
  const auto stores = [](auto... what) { return wavefronts(false, what...); };
  // Two lanes per word, 16 words: conflict-free. Stride 2 words: two lanes per bank.
  CHECK(stores(4, ~0u, [](auto l) { return l / 2; }) == 1);
  CHECK(stores(4, ~0u, [](auto l) { return l * 2; }) == 2);
  CHECK(stores(4, 0xffffu, [](auto l) { return l * 2; }) == 1);
  // 8 bytes: phases of 16 lanes; 16 bytes: of 8. A phase without active lanes takes no time.
  CHECK(stores(8, ~0u, [](auto l) { return l * 2; }) == 4);
  CHECK(stores(16, 0xffu, [](auto l) { return l; }) == 1);
  CHECK(stores(16, 0x01010101u, [](auto l) { return l; }) == 4);
  // The same 16 bytes for everybody: stores do not share phases.
  CHECK(stores(16, ~0u, [](auto) { return 4; }) == 4);
  // Rows of 128 bytes, read as a column of 16-byte pieces, with the row number xored in.
  CHECK(stores(16, ~0u, [](auto l) { return l * 8 + l % 8; }) == 4);
}

TEST_CASE("wavefronts: wide loads whose neighbours agree take half the phases") {
  const auto loads = [](auto... what) { return wavefronts(true, what...); };
  const auto bit_1_dropped = [](auto l) { return (l & 1) | (l >> 2) << 1; };
  // Every line as counted by ncu on an H200. 8 bytes:
  CHECK(loads(8, ~0u, [](auto l) { return l; }) == 2);
  CHECK(loads(8, ~0u, [](auto l) { return l / 2; }) == 1);
  CHECK(loads(8, ~0u, bit_1_dropped) == 1);
  CHECK(loads(8, ~0u, [](auto) { return 0; }) == 1);
  CHECK(loads(8, ~0u, [](auto l) { return l / 2 * 2; }) == 2);
  CHECK(loads(8, ~0u, [](auto l) { return (l & 3) | (l >> 3) << 2; }) == 2);  // bit 2 is no help
  CHECK(loads(8, ~0u, [](auto l) { return l == 1 ? 40 : l / 2; }) == 2);      // all or none
  CHECK(loads(8, 0x55555555u, [](auto l) { return l / 2; }) == 1);  // absent lanes do not object
  // 16 bytes, first the patterns of chapters 02 and 03:
  CHECK(loads(16, ~0u, [](auto l) { return l; }) == 4);
  CHECK(loads(16, ~0u, [](auto l) { return l / 16 * 2; }) == 2);
  CHECK(loads(16, ~0u, [](auto l) { return l % 16 * 2; }) == 8);
  CHECK(loads(16, ~0u, [](auto l) { return l / 4; }) == 2);
  CHECK(loads(16, ~0u, bit_1_dropped) == 2);
  CHECK(loads(16, ~0u, [](auto) { return 0; }) == 2);
  CHECK(loads(16, ~0u, [](auto l) { return l / 2 * 2; }) == 4);
  CHECK(loads(16, ~0u, [](auto l) { return l == 1 ? 40 : l / 2; }) == 5);
  CHECK(loads(16, ~0u, [](auto l) { return l * 8; }) == 32);
  CHECK(loads(16, 0x00ff00ffu, [](auto l) { return l; }) == 2);
}

// --- The L2 model -------------------------------------------------------------------------------

namespace {

// CPU_BACKEND_L2 while it lives.
struct L2Size {
  explicit L2Size(const char* text) { setenv("CPU_BACKEND_L2", text, 1); }
  ~L2Size() { unsetenv("CPU_BACKEND_L2"); }
};

// Hits of gangs of `blocks` blocks that read these lines, a request each. They are added last
// first.
std::uint64_t hits(const char* bytes, std::size_t blocks,
                   const std::vector<std::vector<std::uint64_t>>& gangs) {
  const L2Size size(bytes);
  runtime::reset_counters();
  std::uint64_t lines = 0;
  for (std::size_t gang = gangs.size(); gang-- > 0; lines += gangs[gang].size()) {
    runtime::L2Log log;
    for (const std::uint64_t line : gangs[gang]) {
      log.read(line * runtime::kL2Line + 64, 1);
      log.end_of_request();
    }
    runtime::add_l2_log(gang, blocks, log);
  }
  const runtime::L2Result result = runtime::run_l2_model();
  CHECK(result.lines == lines);
  return result.hits;
}

}  // namespace

TEST_CASE("L2: the least recently used line gives way, blocks side by side take turns") {
  CHECK(hits("384", 1, {{0, 1, 2, 0, 1, 2}}) == 3);
  CHECK(hits("383", 1, {{0, 1, 2, 0, 1, 2}}) == 0);  // whole lines
  CHECK(hits("256", 1, {{0, 1, 0, 2, 1, 0}}) == 1);  // 2 displaces 1, not the older 0
  CHECK(hits("256", 1, {{0, 1, 0, 2, 0, 1}}) == 2);
  CHECK(hits("128", 66, {{0, 1, 2, 3}, {0, 1, 2, 3}}) == 4);
  CHECK(hits("128", 67, {{0, 1, 2, 3}, {0, 1, 2, 3}}) == 0);  // only one gang of 67 fits
  // The third takes the place of the first, which ends early: 7 1 | 2 2 | 3 3.
  CHECK(hits("128", 66, {{7}, {1, 2, 3}, {2, 3}}) == 2);
}

TEST_CASE("L2: what kernels read by cp.async and TMA, in a cache of CPU_BACKEND_L2 bytes") {
  const auto check = [](const gpu::LaunchShape& shape, double lines, double hits, Kernel kernel) {
    values(shape, {{"l2_model_lines", lines}, {"l2_model_hits", hits}}, kernel);
  };
  check(blocks_of(3, 32), 3 * 16, 2 * 16, read_lines);
  check(one_block(32), 0, 0, copies<16, 16, 0>);
  check(one_block(1), 8, 4, box<0, 0, 2>);  // rows of 64 bytes, 128 apart
  check(one_cluster(2, 1), 4, 0, multicast<3>);
  const L2Size one_line("128");
  check(one_block(1), 8, 0, box<0, 0, 2>);
  check(blocks_of(3, 32), 3 * 16, 0, read_lines);  // each block displaces its own
}

TEST_CASE("L2: 60 MiB unless CPU_BACKEND_L2 says otherwise; nonsense is refused") {
  CHECK(runtime::l2_bytes() == 60u << 20);
  for (const char* text : {"", "50M", "-1", "127", "99999999999999999999999"}) {
    const L2Size size(text);
    CAPTURE(text);
    CHECK_THROWS_WITH(runtime::l2_bytes(),
                      std::string("CPU_BACKEND_L2=") + text + ": expected bytes, 128 or more");
  }
}
