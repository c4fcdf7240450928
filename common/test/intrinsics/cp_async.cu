// cp.async: 4, 8 and 16 bytes from global to shared memory, zero fill, groups (PTX ISA,
// "Non-bulk copy").

#include "device.hpp"

namespace intrinsics::cp_async {

constexpr unsigned kThreads = 64, kGroups = 6;
constexpr std::uint32_t kPattern = 0xa5a50000;

// `kCount` words for each thread, in several rows.
template <int kRows, int kCount>
struct Rows {
  alignas(16) std::uint32_t words[kRows][kThreads][kCount];
};

// --- Forms

enum class Form { kPlain, kIf, kZeroFill };

// Thread t copies to slot[t] what is at from[t] (negative: a null address); valid[t]: bytes to
// copy. Half of the slots stay as they are.
template <int kBytes>
__global__ void one_copy(const unsigned char* source, const int* from, const int* slot,
                         const int* valid, Form form, bool in_group, std::uint32_t* out) {
  constexpr unsigned kWords = 2 * kThreads * kBytes / 4;
  std::uint32_t* smem = gpu::static_smem<Rows<2, kBytes / 4>>().words[0][0];
  for (unsigned i = threadIdx.x; i < kWords; i += kThreads) smem[i] = kPattern + i;
  __syncthreads();
  void* to = smem + slot[threadIdx.x] * (kBytes / 4);
  const int at = from[threadIdx.x], bytes = valid[threadIdx.x];
  const unsigned char* address = at < 0 ? nullptr : source + at;
  if (form == Form::kPlain) gpu::cp_async<kBytes>(to, address);
  if (form == Form::kIf) gpu::cp_async_if<kBytes>(bytes != 0, to, address);
  if (form == Form::kZeroFill) gpu::cp_async_zfill<kBytes>(to, address, bytes);
  if (in_group) {
    gpu::cp_async_commit();
    gpu::cp_async_wait<0>();
  } else {
    gpu::cp_async_wait_all();
  }
  __syncthreads();
  copy(out, smem, kWords);
}

struct CopyTest {
  const char* name;
  Form form;
  bool group;
  int (*valid)(int thread, int bytes);
};

template <int kBytes>
Outcome run_copy(Random& random, const CopyTest& test, int given) {
  const auto source = random.bytes(4 * kThreads * kBytes);
  const std::vector<int> slot = random.places(kThreads, 2 * kThreads);
  std::vector<int> from(kThreads), valid(kThreads);
  auto expected = recast<unsigned char>(
      made(2 * kThreads * kBytes / 4, [](unsigned i) { return kPattern + i; }));
  for (unsigned t = 0; t < kThreads; ++t) {
    valid[t] = test.valid(static_cast<int>(t), given);
    from[t] = test.form == Form::kIf && valid[t] == 0 ? -1 : random.below(4 * kThreads) * kBytes;
    for (int byte = 0; byte < kBytes; ++byte) {
      expected[slot[t] * kBytes + byte] = byte < valid[t] ? source[from[t] + byte] : 0;
    }
  }
  return check(one_copy<kBytes>, grid(1, kThreads), recast(expected), source, from, slot, valid,
               test.form, test.group);
}

template <int kBytes>
void add_copies(Cases& cases) {
  const auto all = [](int, int given) { return given; };
  const auto none = [](int, int) { return 0; };
  const auto every_third = [](int thread, int given) { return thread % 3 == 0 ? given : 0; };
  const auto all_lengths = [](int thread, int given) { return 7 * thread % (given + 1); };
  const CopyTest tests[] = {{"/wait_all", Form::kPlain, false, all},
                            {"/wait_group", Form::kPlain, true, all},
                            {".zfill/mixed", Form::kZeroFill, false, all_lengths},
                            {".if/all", Form::kIf, true, all},
                            {".if/none", Form::kIf, false, none},
                            {".if/mixed", Form::kIf, true, every_third}};
  const std::string form = name("cp.async/", kBytes);
  for (const CopyTest& test : tests) add(cases, form + test.name, run_copy<kBytes>, test, kBytes);
  for (int bytes = 0; bytes <= kBytes; ++bytes) {
    add(cases, name(form, ".zfill/valid=", bytes), run_copy<kBytes>,
        CopyTest{"", Form::kZeroFill, true, all}, bytes);
  }
}

// --- Groups

// Each thread has kGroups copies under way, one a group (none in a group that `sparse` leaves
// empty), and reads those of its own that wait<kPending> vouches for, before it waits for the rest.
template <int kBytes, int kPending>
__global__ void wait_for_groups(const std::uint32_t* source, bool sparse, std::uint32_t* out) {
  constexpr unsigned kWords = kBytes / 4;
  auto& smem = gpu::static_smem<Rows<kGroups, kWords>>();
  for (unsigned group = 0; group < kGroups; ++group) {
    std::uint32_t* to = smem.words[group][threadIdx.x];
    if (sparse && (threadIdx.x + group) % 3 == 0) {
      for (unsigned i = 0; i < kWords; ++i) to[i] = kPattern;
    } else {
      gpu::cp_async<kBytes>(to, source + (group * kThreads + threadIdx.x) * kWords);
    }
    gpu::cp_async_commit();
  }
  gpu::cp_async_wait<kPending>();
  for (unsigned group = 0; group < kGroups; ++group) {
    if (group == kGroups - kPending) gpu::cp_async_wait_all();
    for (unsigned i = 0; i < kWords; ++i) {
      out[(group * kThreads + threadIdx.x) * kWords + i] = smem.words[group][threadIdx.x][i];
    }
  }
}

template <int kBytes, int kPending>
Outcome run_groups(Random& random, bool sparse) {
  const Words source = recast(random.bytes(kGroups * kThreads * kBytes));
  const Words expected = made(source.size(), [&](unsigned i) {
    const unsigned copy = i / (kBytes / 4);
    return sparse && (copy % kThreads + copy / kThreads) % 3 == 0 ? kPattern : source[i];
  });
  return check(wait_for_groups<kBytes, kPending>, grid(1, kThreads), expected, source, sparse);
}

template <int kBytes, int kPending>
void add_groups(Cases& cases) {
  const std::string form = name("cp.async/wait_group.", kPending, "/", kBytes);
  add(cases, form + ".sparse", run_groups<kBytes, kPending>, true);
  add(cases, form + ".full", run_groups<kBytes, kPending>, false);
}

// --- A ring of stages as a GEMM has it: the commit stands outside the `if`, so that the number of
// groups is right at the end too. Each thread reads what its neighbour has copied.

constexpr unsigned kStages = 4;

__global__ void ring(const std::uint32_t* source, unsigned steps, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Rows<kStages, 4>>();
  const auto fetch = [&](unsigned step) {
    if (step < steps) {
      gpu::cp_async<16>(smem.words[step % kStages][threadIdx.x],
                        source + (step * kThreads + threadIdx.x) * 4);
    }
    gpu::cp_async_commit();
  };
  for (unsigned step = 0; step < kStages - 1; ++step) fetch(step);
  for (unsigned step = 0; step < steps; ++step) {
    gpu::cp_async_wait<kStages - 2>();
    __syncthreads();
    fetch(step + kStages - 1);
    const std::uint32_t* from = smem.words[step % kStages][(threadIdx.x + 13) % kThreads];
    for (unsigned i = 0; i < 4; ++i) out[(step * kThreads + threadIdx.x) * 4 + i] = from[i];
  }
  gpu::cp_async_wait_all();
}

Outcome run_ring(Random& random, unsigned steps) {
  constexpr unsigned kRow = kThreads * 4;
  const Words source = recast(random.bytes(steps * kRow * 4));
  const Words expected = made(
      source.size(), [&](unsigned i) { return source[i / kRow * kRow + (i + 13 * 4) % kRow]; });
  return check(ring, grid(1, kThreads), expected, source, steps);
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
  for (const unsigned steps : {1u, 2u, 3u, 4u, 11u}) {
    add(cases, name("cp.async/ring/steps=", steps), run_ring, steps);
  }
});

}  // namespace intrinsics::cp_async
