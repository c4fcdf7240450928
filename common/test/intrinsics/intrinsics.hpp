#pragma once
// One-instruction tests of the device intrinsics in gpu/. A case runs a kernel of a few lines on
// random data and returns what came out beside what the instruction's definition (PTX ISA) says
// must come out, worked out on the host by code of its own. The same cases run on both backends:
// agreement, bit for bit, is what makes the CPU backend believable.

#include <core/modes.hpp>
#include <gemm/random.hpp>
#include <gpu/host.hpp>
#include <gpu/launch.hpp>
#include <test/device_array.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace intrinsics {

using test::DeviceArray;
using Words = std::vector<std::uint32_t>;

struct Outcome {
  Words got, expected;
};

template <class T = std::uint32_t, class Value>
std::vector<T> made(std::size_t count, Value value) {
  std::vector<T> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(value(static_cast<unsigned>(i)));
  return out;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The data of a case: drawn from its name, the same on every machine.
class Random {
 public:
  explicit Random(std::string_view name) {
    for (const char c : name) seed_ = gemm::mix_bits(seed_ ^ static_cast<unsigned char>(c));
  }

  std::uint64_t bits() { return gemm::counter_bits(seed_, counter_++); }
  // 0 .. count-1
  int below(int count) { return static_cast<int>(bits() % static_cast<std::uint64_t>(count)); }
  // -limit .. limit without 0: no dot product is ever a sum of zeros, whose sign would matter.
  int small(int limit) {
    const int magnitude = 1 + below(limit);
    return bits() % 2 == 0 ? magnitude : -magnitude;
  }

  Words words(std::size_t count) {
    return made(count, [&](unsigned) { return bits(); });
  }
  std::vector<unsigned char> bytes(std::size_t count) {
    return made<unsigned char>(count, [&](unsigned) { return bits(); });
  }
  std::vector<int> smalls(std::size_t count, int limit) {
    return made<int>(count, [&](unsigned) { return small(limit); });
  }
  // `count` different ones of 0 .. of-1, in random order.
  std::vector<int> places(int count, int of) {
    std::vector<int> out = made<int>(static_cast<std::size_t>(of), [](unsigned i) { return i; });
    for (int i = 0; i < count; ++i) std::swap(out[i], out[i + below(of - i)]);
    out.resize(static_cast<std::size_t>(count));
    return out;
  }

 private:
  std::uint64_t seed_ = 0;
  std::uint64_t counter_ = 0;
};

// Named "family/form/what is special about it", without blanks.
struct Case {
  std::string name;
  std::function<Outcome(Random&)> run;
};
using Cases = std::vector<Case>;

template <class... Parts>
std::string name(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

inline std::string swizzle_name(core::SwizzleMode mode) {
  return mode == core::SwizzleMode::kNone ? "none" : name(core::span_bytes(mode), "B");
}

template <class Run, class... Args>
void add(Cases& cases, const std::string& name, Run run, const Args&... args) {
  cases.push_back({name, [=](Random& random) { return run(random, args...); }});
}

// All cases of the program. Each file of kernels adds its own by a Register at namespace scope.
Cases& all_cases();

struct Register {
  explicit Register(void (*add)(Cases&)) { add(all_cases()); }
};

// The same bytes as elements of another type; a rest is filled up with zeros.
template <class To = std::uint32_t, class From>
std::vector<To> recast(const std::vector<From>& values) {
  const std::size_t bytes = values.size() * sizeof(From);
  std::vector<To> out((bytes + sizeof(To) - 1) / sizeof(To));
  if (bytes > 0) std::memcpy(out.data(), values.data(), bytes);
  return out;
}

// What threads leave behind that have passed a barrier, round after round.
inline Words marks(unsigned rounds, unsigned blocks, unsigned threads) {
  return made(rounds * blocks * threads,
              [=](unsigned i) { return 1000 * (i / (blocks * threads) + 1) + i % threads; });
}

// A kernel's argument: a vector becomes an array on the device.
template <class T>
struct Argument {
  const T& value;
  const T& get() const { return value; }
};
template <class T>
struct Argument<std::vector<T>> {
  DeviceArray<T> array;
  explicit Argument(const std::vector<T>& values) : array(values) {}
  T* get() const { return array.data(); }
};

inline gpu::LaunchShape grid(unsigned blocks, unsigned threads, std::size_t dynamic_smem = 0,
                             unsigned cluster = 1) {
  return {.grid = dim3(blocks),
          .block = dim3(threads),
          .dynamic_smem = dynamic_smem,
          .cluster = dim3(cluster)};
}

// Launches and waits.
template <class... Params, class... Args>
void run(void (*kernel)(Params...), const gpu::LaunchShape& shape, const Args&... args) {
  [&](const auto&... arguments) {
    gpu::launch(kernel, gpu::launch_shape(kernel, shape), nullptr, arguments.get()...);
    gpu::synchronize();
  }(Argument<Args>{args}...);
}

// run(), with an array that holds `before` as the last argument: what is in it afterwards.
template <class... Params, class... Args>
Outcome check_changed(void (*kernel)(Params...), const gpu::LaunchShape& shape, const Words& before,
                      const Words& expected, const Args&... args) {
  const DeviceArray<std::uint32_t> out(before);
  run(kernel, shape, args..., out.data());
  return {out.values(), expected};
}

template <class... Params, class... Args>
Outcome check(void (*kernel)(Params...), const gpu::LaunchShape& shape, const Words& expected,
              const Args&... args) {
  return check_changed(kernel, shape, Words(expected.size(), 0x5eed5eed), expected, args...);
}

}  // namespace intrinsics
