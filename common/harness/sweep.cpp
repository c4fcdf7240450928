#include <harness/results.hpp>

#include <gemm/random.hpp>

#include <algorithm>
#include <bit>

namespace harness {
namespace {

// (N, K) of weights, fused as inference programs run them: q, k and v in one matrix, gate and up in
// one. In the order below: GPT-2 XL qkv, out, up, down; GPT-3 175B qkv, out, down; Llama 2 7B qkv,
// gate_up, down; Llama 2 13B qkv, out, gate_up, down; Llama 3 8B qkv, out, gate_up, down, lm_head;
// Llama 3 70B, Qwen2.5 1.5B and Qwen2.5 7B qkv, out, gate_up, down; Gemma 2 9B qkv, out, down;
// Phi-3 mini qkv, gate_up, down; DeepSeek-V3 q_a, q_b, kv_a, expert_gate_up, expert_down. From the
// configurations that the models are published with (config.json of their repositories; GPT-3:
// table 2.1 of arXiv:2005.14165; DeepSeek-V3: arXiv:2412.19437, section 4.2).
constexpr std::pair<std::int64_t, std::int64_t> kLayers[] = {
    {4800, 1600},   {1600, 1600},  {6400, 1600},  {1600, 6400},  {36864, 12288}, {12288, 12288},
    {12288, 49152}, {12288, 4096}, {22016, 4096}, {4096, 11008}, {15360, 5120},  {5120, 5120},
    {27648, 5120},  {5120, 13824}, {6144, 4096},  {4096, 4096},  {28672, 4096},  {4096, 14336},
    {128256, 4096}, {10240, 8192}, {8192, 8192},  {57344, 8192}, {8192, 28672},  {2048, 1536},
    {1536, 1536},   {17920, 1536}, {1536, 8960},  {4608, 3584},  {3584, 3584},   {37888, 3584},
    {3584, 18944},  {8192, 3584},  {3584, 4096},  {3584, 14336}, {9216, 3072},   {16384, 3072},
    {3072, 8192},   {1536, 7168},  {24576, 1536}, {576, 7168},   {4096, 7168},   {7168, 2048}};

constexpr std::uint64_t kLastTuningSeed = 9;

// splitmix64 (Steele, Lea and Flood, 2014).
struct Random {
  std::uint64_t state;

  std::uint64_t next() { return gemm::mix_bits(state += 0x9e3779b97f4a7c15); }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  // first * 2^x, rounded down, with x uniform in [0, octaves), in steps of 1 / 256.
  std::int64_t log_uniform(std::int64_t first, int octaves) {
    constexpr std::uint64_t kRoots[] = {// 2^(1/2), 2^(1/4), ... 2^(1/256), times 2^30
                                        1518500250, 1276901417, 1170923762, 1121280436,
                                        1097253708, 1085434106, 1079572136, 1076653033};
    const std::int64_t x = below(octaves * 256);
    std::uint64_t power = std::uint64_t{1} << 30;
    for (int bit = 0; bit < 8; ++bit) {
      if ((x & (128 >> bit)) != 0) power = power * kRoots[bit] >> 30;
    }
    const auto scaled = static_cast<std::uint64_t>(first) << (x / 256);
    return static_cast<std::int64_t>(scaled * power >> 30);
  }
};

// Half of all numbers, without a pattern that the sizes of tiles would meet.
bool is_for_tuning(std::int64_t units) {
  const auto bits = static_cast<std::uint64_t>(units);
  return (std::popcount(bits) + std::bit_width(bits)) % 2 == 0;
}

// What number `index` of a seed is at first; it may be there already.
Shape draw(Random& random, std::uint64_t seed, int index) {
  switch ("LSRLSRLSRL"[index % 10]) {
    case 'L': {
      const auto& [n, k] = kLayers[random.below(std::ssize(kLayers))];
      return {random.log_uniform(1, 13), n, k};
    }
    case 'S': {
      const int number = index / 10 * 3 + index % 10 / 3;  // of the squares
      const std::int64_t unit = number % 2 == 0 ? 128 : 16;
      for (;;) {
        const std::int64_t units = random.log_uniform(256, 5) / unit, size = units * unit;
        if (seed > kLastTuningSeed || is_for_tuning(units)) return {size, size, size};
      }
    }
    default: {
      const auto extent = [&] { return random.log_uniform(128, 6) / 8 * 8; };
      return {extent(), extent(), extent()};  // in this order
    }
  }
}

}  // namespace

std::vector<Shape> sweep_shapes(std::uint64_t seed, int count) {
  std::vector<Shape> out, taken;
  for (std::uint64_t tuning = 1; seed > kLastTuningSeed && tuning <= kLastTuningSeed; ++tuning) {
    std::ranges::copy(sweep_shapes(tuning, kSweepCount), std::back_inserter(taken));
  }
  Random random{seed};
  while (std::ssize(out) < count) {
    const Shape shape = draw(random, seed, static_cast<int>(out.size()));
    if (!std::ranges::count(out, shape) && !std::ranges::count(taken, shape)) out.push_back(shape);
  }
  return out;
}

}  // namespace harness
