#include <harness/sweep.hpp>

#include <algorithm>
#include <bit>

namespace harness {

// Fused as inference programs run them: q, k and v in one matrix, gate and up in one. From the
// configurations that the models are published with (config.json of their repositories; GPT-3:
// table 2.1 of arXiv:2005.14165; DeepSeek-V3: arXiv:2412.19437, section 4.2).
const std::array<Layer, 42> kLayers = {{
    {"GPT-2 XL", "qkv", 4800, 1600},
    {"GPT-2 XL", "out", 1600, 1600},
    {"GPT-2 XL", "up", 6400, 1600},
    {"GPT-2 XL", "down", 1600, 6400},
    {"GPT-3 175B", "qkv", 36864, 12288},
    {"GPT-3 175B", "out", 12288, 12288},
    {"GPT-3 175B", "down", 12288, 49152},
    {"Llama 2 7B", "qkv", 12288, 4096},
    {"Llama 2 7B", "gate_up", 22016, 4096},
    {"Llama 2 7B", "down", 4096, 11008},
    {"Llama 2 13B", "qkv", 15360, 5120},
    {"Llama 2 13B", "out", 5120, 5120},
    {"Llama 2 13B", "gate_up", 27648, 5120},
    {"Llama 2 13B", "down", 5120, 13824},
    {"Llama 3 8B", "qkv", 6144, 4096},
    {"Llama 3 8B", "out", 4096, 4096},
    {"Llama 3 8B", "gate_up", 28672, 4096},
    {"Llama 3 8B", "down", 4096, 14336},
    {"Llama 3 8B", "lm_head", 128256, 4096},
    {"Llama 3 70B", "qkv", 10240, 8192},
    {"Llama 3 70B", "out", 8192, 8192},
    {"Llama 3 70B", "gate_up", 57344, 8192},
    {"Llama 3 70B", "down", 8192, 28672},
    {"Qwen2.5 1.5B", "qkv", 2048, 1536},
    {"Qwen2.5 1.5B", "out", 1536, 1536},
    {"Qwen2.5 1.5B", "gate_up", 17920, 1536},
    {"Qwen2.5 1.5B", "down", 1536, 8960},
    {"Qwen2.5 7B", "qkv", 4608, 3584},
    {"Qwen2.5 7B", "out", 3584, 3584},
    {"Qwen2.5 7B", "gate_up", 37888, 3584},
    {"Qwen2.5 7B", "down", 3584, 18944},
    {"Gemma 2 9B", "qkv", 8192, 3584},
    {"Gemma 2 9B", "out", 3584, 4096},
    {"Gemma 2 9B", "down", 3584, 14336},
    {"Phi-3 mini", "qkv", 9216, 3072},
    {"Phi-3 mini", "gate_up", 16384, 3072},
    {"Phi-3 mini", "down", 3072, 8192},
    {"DeepSeek-V3", "q_a", 1536, 7168},
    {"DeepSeek-V3", "q_b", 24576, 1536},
    {"DeepSeek-V3", "kv_a", 576, 7168},
    {"DeepSeek-V3", "expert_gate_up", 4096, 7168},
    {"DeepSeek-V3", "expert_down", 7168, 2048},
}};

namespace {

constexpr std::string_view kKinds = "LSRLSRLSRL";
constexpr std::uint64_t kLastTuningSeed = 9;

// splitmix64 (Steele, Lea and Flood, 2014).
struct Random {
  std::uint64_t state;

  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
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

Shape draw(Random& random, std::uint64_t seed, int index) {
  switch (sweep_kind(index).front()) {
    case 'l': {
      const Layer& layer = kLayers[static_cast<std::size_t>(random.below(kLayers.size()))];
      return {random.log_uniform(1, 13), layer.n, layer.k};
    }
    case 's': {
      const int number = index / 10 * 3 + index % 10 / 3;  // of the squares
      const std::int64_t unit = number % 2 == 0 ? 128 : 16;
      for (;;) {
        const std::int64_t units = random.log_uniform(256, 5) / unit;
        const bool tuning = seed <= kLastTuningSeed;
        if (!tuning || is_for_tuning(units)) return {units * unit, units * unit, units * unit};
      }
    }
    default: {
      const auto extent = [&] { return random.log_uniform(128, 6) / 8 * 8; };
      const std::int64_t m = extent(), n = extent(), k = extent();
      return {m, n, k};
    }
  }
}

// Shapes of a seed, each once, without those in `taken`.
std::vector<Shape> drawn(std::uint64_t seed, int count, const std::vector<Shape>& taken) {
  Random random{seed};
  std::vector<Shape> out;
  while (static_cast<int>(out.size()) < count) {
    const Shape shape = draw(random, seed, static_cast<int>(out.size()));
    const auto holds = [&](const std::vector<Shape>& list) {
      return std::find(list.begin(), list.end(), shape) != list.end();
    };
    if (!holds(out) && !holds(taken)) out.push_back(shape);
  }
  return out;
}

}  // namespace

std::string_view sweep_kind(int index) {
  switch (kKinds[static_cast<std::size_t>(index) % kKinds.size()]) {
    case 'L':
      return "layer";
    case 'S':
      return "square";
    default:
      return "ragged";
  }
}

std::vector<Shape> sweep_shapes(std::uint64_t seed, int count) {
  std::vector<Shape> taken;
  for (std::uint64_t tuning = 1; seed > kLastTuningSeed && tuning <= kLastTuningSeed; ++tuning) {
    const std::vector<Shape> shapes = drawn(tuning, kSweepCount, {});
    taken.insert(taken.end(), shapes.begin(), shapes.end());
  }
  return drawn(seed, count, taken);
}

}  // namespace harness
