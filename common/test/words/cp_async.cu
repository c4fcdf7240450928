// cp.async: 4, 8 and 16 bytes from global to shared memory, zero fill, groups (PTX ISA,
// "Non-bulk copy").

#include "words.hpp"

#include <gpu/cp_async.hpp>
#include <gpu/shared.hpp>

namespace words::cp_async {

constexpr int kThreads = 64;
constexpr int kSlots = 2 * kThreads;  // each thread fills one, the others stay as they are
constexpr int kGroups = 6;
constexpr std::uint32_t kPattern = 0xa5a50000;
const gpu::LaunchShape kShape = {.grid = dim3(1), .block = dim3(kThreads)};

enum class Form { kPlain, kIf, kZeroFill };

template <int kBytes>
struct Slots {
  alignas(16) std::uint32_t words[kSlots * kBytes / 4];
};

// Thread t copies to slot[t] what is at from[t] (negative: a null address); valid[t]: bytes to
// copy.
template <int kBytes, Form kForm>
__global__ void copy(const unsigned char* source, const int* from, const int* slot,
                     const int* valid, bool in_group, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Slots<kBytes>>();
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int kWords = kSlots * kBytes / 4;
  for (int i = thread; i < kWords; i += kThreads) {
    smem.words[i] = kPattern + static_cast<std::uint32_t>(i);
  }
  __syncthreads();
  void* to = smem.words + slot[thread] * (kBytes / 4);
  const unsigned char* address = from[thread] < 0 ? nullptr : source + from[thread];
  if constexpr (kForm == Form::kPlain) {
    gpu::cp_async<kBytes>(to, address);
  } else if constexpr (kForm == Form::kIf) {
    gpu::cp_async_if<kBytes>(valid[thread] != 0, to, address);
  } else {
    gpu::cp_async_zfill<kBytes>(to, address, valid[thread]);
  }
  if (in_group) {
    gpu::cp_async_commit();
    gpu::cp_async_wait<0>();
  } else {
    gpu::cp_async_wait_all();
  }
  __syncthreads();
  for (int i = thread; i < kWords; i += kThreads) out[i] = smem.words[i];
}

template <int kBytes, Form kForm>
Outcome run_copy(Random& random, int (*valid_bytes)(int thread, int given), int given, bool group) {
  const std::vector<unsigned char> source = random.bytes(4 * kThreads * kBytes);
  const std::vector<int> slot = random.places(kThreads, kSlots);
  std::vector<int> from(kThreads), valid(kThreads);
  std::vector<unsigned char> expected =
      recast<unsigned char>(made(kSlots * kBytes / 4, [](unsigned i) { return kPattern + i; }));
  for (int t = 0; t < kThreads; ++t) {
    valid[t] = valid_bytes(t, given);
    from[t] = kForm == Form::kIf && valid[t] == 0 ? -1 : random.below(4 * kThreads) * kBytes;
    for (int byte = 0; byte < kBytes; ++byte) {
      expected[slot[t] * kBytes + byte] = byte < valid[t] ? source[from[t] + byte] : 0;
    }
  }
  return check(copy<kBytes, kForm>, kShape, recast(expected), source, from, slot, valid, group);
}

template <int kBytes>
void add_copies(Cases& cases) {
  const auto add = [&](const char* what, auto run_form, auto valid, bool group, int given) {
    cases.push_back({"cp.async/" + std::to_string(kBytes) + what,
                     [=](Random& random) { return run_form(random, +valid, given, group); }});
  };
  const auto constant = [](int, int given) { return given; };
  const auto every_third = [](int thread, int given) { return thread % 3 == 0 ? given : 0; };
  const auto all_lengths = [](int thread, int given) { return 7 * thread % (given + 1); };
  add("/wait_all", run_copy<kBytes, Form::kPlain>, constant, false, kBytes);
  add("/wait_group", run_copy<kBytes, Form::kPlain>, constant, true, kBytes);
  add(".zfill/mixed", run_copy<kBytes, Form::kZeroFill>, all_lengths, false, kBytes);
  add(".if/all", run_copy<kBytes, Form::kIf>, constant, true, kBytes);
  add(".if/none", run_copy<kBytes, Form::kIf>, constant, false, 0);
  add(".if/mixed", run_copy<kBytes, Form::kIf>, every_third, true, kBytes);
  for (int bytes = 0; bytes <= kBytes; ++bytes) {
    add((".zfill/valid=" + std::to_string(bytes)).c_str(), run_copy<kBytes, Form::kZeroFill>,
        constant, true, bytes);
  }
}

// Each thread has kGroups copies under way, one a group (none in a group that `sparse` leaves
// empty), and reads those of its own that wait<kPending> vouches for, before it waits for the rest.
template <int kBytes>
struct Groups {
  alignas(16) std::uint32_t words[kGroups][kThreads][kBytes / 4];
};

template <int kBytes, int kPending>
__global__ void wait_for_groups(const unsigned char* source, bool sparse, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Groups<kBytes>>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int group = 0; group < kGroups; ++group) {
    if (sparse && (thread + group) % 3 == 0) {
      for (int i = 0; i < kBytes / 4; ++i) smem.words[group][thread][i] = kPattern;
    } else {
      gpu::cp_async<kBytes>(smem.words[group][thread],
                            source + (group * kThreads + thread) * kBytes);
    }
    gpu::cp_async_commit();
  }
  gpu::cp_async_wait<kPending>();
  for (int group = 0; group < kGroups; ++group) {
    if (group == kGroups - kPending) gpu::cp_async_wait_all();
    for (int i = 0; i < kBytes / 4; ++i) {
      out[(group * kThreads + thread) * (kBytes / 4) + i] = smem.words[group][thread][i];
    }
  }
}

template <int kBytes, int kPending>
void add_groups(Cases& cases) {
  for (const bool sparse : {false, true}) {
    cases.push_back({"cp.async/wait_group." + std::to_string(kPending) + "/" +
                         std::to_string(kBytes) + (sparse ? ".sparse" : ".full"),
                     [=](Random& random) {
                       const auto source = random.bytes(kGroups * kThreads * kBytes);
                       const Words copied = recast(source);
                       const Words expected = made(copied.size(), [&](unsigned i) {
                         const unsigned copy = i / (kBytes / 4);
                         const bool empty = sparse && (copy % kThreads + copy / kThreads) % 3 == 0;
                         return empty ? kPattern : copied[i];
                       });
                       return check(wait_for_groups<kBytes, kPending>, kShape, expected, source,
                                    sparse);
                     }});
  }
}

// A ring of stages as a GEMM has it: the commit stands outside the `if`, so that the number of
// groups is right at the end too. Each thread reads what its neighbour has copied.
constexpr int kStages = 4;

struct Ring {
  alignas(16) std::uint32_t words[kStages][kThreads][4];
};

__global__ void ring(const std::uint32_t* source, int steps, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Ring>();
  const int thread = static_cast<int>(threadIdx.x);
  const auto fetch = [&](int step) {
    if (step < steps) {
      gpu::cp_async<16>(smem.words[step % kStages][thread],
                        source + (step * kThreads + thread) * 4);
    }
    gpu::cp_async_commit();
  };
  for (int step = 0; step < kStages - 1; ++step) fetch(step);
  for (int step = 0; step < steps; ++step) {
    gpu::cp_async_wait<kStages - 2>();
    __syncthreads();
    fetch(step + kStages - 1);
    for (int i = 0; i < 4; ++i) {
      out[(step * kThreads + thread) * 4 + i] =
          smem.words[step % kStages][(thread + 13) % kThreads][i];
    }
  }
  gpu::cp_async_wait_all();
}

Outcome run_ring(Random& random, int steps) {
  const auto source = recast(random.bytes(static_cast<std::size_t>(steps * kThreads * 16)));
  constexpr unsigned kRow = kThreads * 4;
  const Words expected = made(
      source.size(), [&](unsigned i) { return source[i / kRow * kRow + (i + 13 * 4) % kRow]; });
  return check(ring, kShape, expected, source, steps);
}

const Register kCases([](Cases& cases) {
  add_copies<4>(cases);
  add_copies<8>(cases);
  add_copies<16>(cases);
  add_groups<4, 0>(cases);
  add_groups<8, 1>(cases);
  add_groups<16, 0>(cases);
  add_groups<16, 1>(cases);
  add_groups<16, 2>(cases);
  add_groups<16, 3>(cases);
  for (const int steps : {1, 2, 3, 4, 11}) {
    cases.push_back({"cp.async/ring/steps=" + std::to_string(steps),
                     [=](Random& random) { return run_ring(random, steps); }});
  }
});

}  // namespace words::cp_async
