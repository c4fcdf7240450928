// cp.async: 4, 8 and 16 bytes from global to shared memory, zero fill, groups (PTX ISA,
// "Non-bulk copy").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/cp_async.hpp>
#include <gpu/shared.hpp>

#include <algorithm>
#include <string>

namespace words {

namespace cp_async {

constexpr int kThreads = 64;
constexpr int kSlots =
    2 * kThreads;  // of kBytes; each thread fills one, the others stay as they are
constexpr int kGroups = 6;
constexpr std::uint32_t kPattern = 0xa5a50000;

enum class Form { kPlain, kIf, kZeroFill };
enum class Wait { kAll, kGroup };

struct CopyArguments {
  const unsigned char* source;
  const int* from;   // byte of the source; negative: a null address
  const int* slot;   // where to
  const int* valid;  // bytes to copy (kIf: zero or not)
  std::uint32_t* out;
};

template <int kBytes>
struct Slots {
  alignas(16) std::uint32_t words[kSlots * kBytes / 4];
};

template <int kBytes, Form kForm, Wait kWait>
__global__ void copy(CopyArguments job) {
  auto& smem = gpu::static_smem<Slots<kBytes>>();
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int kWords = kSlots * kBytes / 4;
  for (int i = thread; i < kWords; i += kThreads) {
    smem.words[i] = kPattern + static_cast<std::uint32_t>(i);
  }
  __syncthreads();

  void* to = smem.words + job.slot[thread] * (kBytes / 4);
  const unsigned char* from = job.from[thread] < 0 ? nullptr : job.source + job.from[thread];
  if constexpr (kForm == Form::kPlain) {
    gpu::cp_async<kBytes>(to, from);
  } else if constexpr (kForm == Form::kIf) {
    gpu::cp_async_if<kBytes>(job.valid[thread] != 0, to, from);
  } else {
    gpu::cp_async_zfill<kBytes>(to, from, job.valid[thread]);
  }
  if constexpr (kWait == Wait::kAll) {
    gpu::cp_async_wait_all();
  } else {
    gpu::cp_async_commit();
    gpu::cp_async_wait<0>();
  }
  __syncthreads();

  for (int i = thread; i < kWords; i += kThreads) job.out[i] = smem.words[i];
}

// `valid` as in CopyArguments, one per thread.
template <int kBytes, Form kForm, Wait kWait>
Outcome run_copy(const std::string& name, const std::vector<int>& valid) {
  Random random(name);
  const std::vector<unsigned char> source = random.bytes(4 * kThreads * kBytes);
  const std::vector<int> slot = random.places(kThreads, kSlots);
  std::vector<int> from(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    from[t] = kForm == Form::kIf && valid[t] == 0 ? -1 : random.below(4 * kThreads) * kBytes;
  }

  std::vector<unsigned char> expected(kSlots * kBytes);
  for (int i = 0; i < kSlots * kBytes / 4; ++i) {
    const std::uint32_t pattern = kPattern + static_cast<std::uint32_t>(i);
    std::memcpy(&expected[4 * i], &pattern, 4);
  }
  for (int t = 0; t < kThreads; ++t) {
    int bytes = kBytes;
    if (kForm == Form::kIf) bytes = valid[t] != 0 ? kBytes : 0;
    if (kForm == Form::kZeroFill) bytes = valid[t];
    for (int byte = 0; byte < kBytes; ++byte) {
      expected[slot[t] * kBytes + byte] = byte < bytes ? source[from[t] + byte] : 0;
    }
  }

  const DeviceArray<unsigned char> d_source(source);
  const DeviceArray<int> d_from(from), d_slot(slot), d_valid(valid);
  const DeviceArray<std::uint32_t> out(kSlots * kBytes / 4);
  run(copy<kBytes, kForm, kWait>, {.grid = dim3(1), .block = dim3(kThreads)},
      CopyArguments{d_source.data(), d_from.data(), d_slot.data(), d_valid.data(), out.data()});
  return {out.values(), as_words(expected)};
}

template <int kBytes>
void add_copies(Cases& cases) {
  const std::string size = std::to_string(kBytes);
  const auto add = [&](const std::string& name, const std::vector<int>& valid, auto run_case) {
    cases.push_back({"cp.async/" + name, [=] { return run_case("cp.async/" + name, valid); }});
  };
  const std::vector<int> all(kThreads, kBytes);
  add(size + "/wait_all", all, run_copy<kBytes, Form::kPlain, Wait::kAll>);
  add(size + "/wait_group", all, run_copy<kBytes, Form::kPlain, Wait::kGroup>);

  for (int bytes = 0; bytes <= kBytes; ++bytes) {
    add(size + ".zfill/valid=" + std::to_string(bytes), std::vector<int>(kThreads, bytes),
        run_copy<kBytes, Form::kZeroFill, Wait::kGroup>);
  }
  std::vector<int> mixed(kThreads), every_third(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    mixed[t] = 7 * t % (kBytes + 1);
    every_third[t] = t % 3 == 0;
  }
  add(size + ".zfill/mixed", mixed, run_copy<kBytes, Form::kZeroFill, Wait::kAll>);
  add(size + ".if/all", all, run_copy<kBytes, Form::kIf, Wait::kGroup>);
  add(size + ".if/none", std::vector<int>(kThreads, 0), run_copy<kBytes, Form::kIf, Wait::kAll>);
  add(size + ".if/mixed", every_third, run_copy<kBytes, Form::kIf, Wait::kGroup>);
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
    const bool empty = sparse && (thread + group) % 3 == 0;
    if (empty) {
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
    const std::string name = "cp.async/wait_group." + std::to_string(kPending) + "/" +
                             std::to_string(kBytes) + (sparse ? ".sparse" : ".full");
    cases.push_back(
        {name, [=] {
           const std::vector<unsigned char> source =
               Random(name).bytes(kGroups * kThreads * kBytes);
           std::vector<std::uint32_t> expected = as_words(source);
           for (int group = 0; group < kGroups && sparse; ++group) {
             for (int t = 0; t < kThreads; ++t) {
               if ((t + group) % 3 != 0) continue;
               std::fill_n(&expected[(group * kThreads + t) * kBytes / 4], kBytes / 4, kPattern);
             }
           }
           const DeviceArray<unsigned char> d_source(source);
           const DeviceArray<std::uint32_t> out(expected.size());
           run(wait_for_groups<kBytes, kPending>, {.grid = dim3(1), .block = dim3(kThreads)},
               d_source.data(), sparse, out.data());
           return Outcome{out.values(), expected};
         }});
  }
}

// A ring of stages as a GEMM has it: the commit stands outside the `if`, so that the number of
// groups is right in the last laps too. Each thread reads what its neighbour has copied.
constexpr int kStages = 4;

struct Ring {
  alignas(16) std::uint32_t words[kStages][kThreads][4];
};

__global__ void ring(const unsigned char* source, int steps, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Ring>();
  const int thread = static_cast<int>(threadIdx.x);
  const auto fetch = [&](int step) {
    if (step < steps) {
      gpu::cp_async<16>(smem.words[step % kStages][thread],
                        source + (step * kThreads + thread) * 16);
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

Outcome run_ring(const std::string& name, int steps) {
  const std::vector<unsigned char> source = Random(name).bytes(steps * kThreads * 16);
  const std::vector<std::uint32_t> copied = as_words(source);
  std::vector<std::uint32_t> expected(copied.size());
  for (int step = 0; step < steps; ++step) {
    for (int t = 0; t < kThreads; ++t) {
      for (int i = 0; i < 4; ++i) {
        expected[(step * kThreads + t) * 4 + i] =
            copied[(step * kThreads + (t + 13) % kThreads) * 4 + i];
      }
    }
  }
  const DeviceArray<unsigned char> d_source(source);
  const DeviceArray<std::uint32_t> out(expected.size());
  run(ring, {.grid = dim3(1), .block = dim3(kThreads)}, d_source.data(), steps, out.data());
  return {out.values(), expected};
}

}  // namespace cp_async

Cases cp_async_cases() {
  using namespace cp_async;
  Cases cases;
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
    const std::string name = "cp.async/ring/steps=" + std::to_string(steps);
    cases.push_back({name, [=] { return run_ring(name, steps); }});
  }
  return cases;
}

}  // namespace words
