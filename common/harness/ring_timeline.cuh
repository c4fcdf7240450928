#pragma once
// When a block's producer and its consumers wait, load, multiply and store, as its ring of stages
// sees it: chapters from 07 on call the ring for each of these turns. Their kernels stay as they
// are; only the ring in their Config is replaced by one that takes notes.

#include <harness/job.hpp>
#include <harness/trace.hpp>

#include <gpu/clock.hpp>
#include <gpu/launch.hpp>
#include <gpu/thread.hpp>

namespace harness::ring_timeline {

enum class Event : std::uint32_t { kWaitEmpty, kLoad, kWaitFull, kMultiply, kStore };

inline constexpr const char* kEventNames[] = {"wait_empty", "load", "wait_full", "multiply",
                                              "store"};

struct Note {
  std::uint64_t begin;  // cycles of the SM, on the CPU backend turns of threads; 0: no note
  Event event;          // until the next begins
};

// Of each role the first kCapacity notes are kept, of the problem that is shown.
inline constexpr int kCapacity = 4096, kMostRoles = 4, kK = 1024, kKTiles = kK / 64;

static __device__ Note* all_notes;  // (kMostRoles, kCapacity)

static __global__ void set_notes(Note* notes) {
  all_notes = notes;
}

// The ring of block 0 is watched: its producer, role 0, and the first thread of each consumer. What
// a role does it does until it calls the ring for something else. A consumer that has handed back
// all of a tile's stages stores, until it waits for the next. A note must cost little, or it would
// show itself: nothing but the place for the next one is read, from shared memory.
template <class Ring>
struct Watched : Ring {
  using typename Ring::State;
  struct Role {
    Note *next, *end;
    int left;  // stages of the tile that it has not handed back
  };
  Role roles[kMostRoles];

  __device__ void init() {
    for (int i = 0; i < kMostRoles; ++i) {
      Note* const first = all_notes + i * kCapacity;
      roles[i] = {first, first + kCapacity, kKTiles};
    }
    Ring::init();
  }
  __device__ void wait_empty(State state) {
    begin(Event::kWaitEmpty);
    Ring::wait_empty(state);
  }
  __device__ auto& arrive_and_expect_tx(State state, unsigned bytes) {
    begin(Event::kLoad);
    return Ring::arrive_and_expect_tx(state, bytes);
  }
  __device__ void wait_full(State state) {
    begin(Event::kWaitFull);
    Ring::wait_full(state);
    begin(Event::kMultiply);
  }
  __device__ void release(int stage) {
    Ring::release(stage);
    if (!watched() || --roles[role()].left > 0) return;
    roles[role()].left = kKTiles;
    begin(Event::kStore);
  }

 private:
  static __device__ int role() { return static_cast<int>(threadIdx.x / 128); }
  static __device__ bool watched() {
    return blockIdx.x == 0 && (role() == 0 || threadIdx.x % 128 == 0);
  }
  __device__ void begin(Event event) {
    Role& mine = roles[role()];
    if (watched() && mine.next != mine.end) *mine.next++ = {gpu::clock_cycles(), event};
  }
};

// Runs what `prepare` makes of a problem, a plan whose kernel has a watched ring, and returns the
// notes as a Chrome trace. The n-th load goes to stage n % stages, and each consumer's n-th MMAs
// read it there. A GPU is kept busy as a whole; the CPU backend runs two blocks, which is enough to
// see the roles.
template <class Prepare>
std::string trace(const char* chapter, int consumers, unsigned stages, const Prepare& prepare) {
  const Trial trial(problem_of({}, kOnGpu ? Shape{4096, 4096, kK} : Shape{256, 512, kK}),
                    gemm::Values::kUniform, {});
  std::vector<Note> notes(kMostRoles * kCapacity);
  const std::size_t bytes = notes.size() * sizeof(Note);
  const DeviceMemory memory(bytes);
  gpu::launch(set_notes, {.grid = dim3(1), .block = dim3(1)}, nullptr,
              reinterpret_cast<Note*>(memory.data()));

  auto plan = prepare(trial.device().problem());
  if (!kOnGpu) plan.shape.grid = dim3(2);
  for (int i = 0; i < 2; ++i) {  // the first run finds cold caches, the second is shown
    gpu::fill_bytes(memory.data(), 0, bytes);
    plan.run(nullptr);
    gpu::synchronize();
  }
  gpu::copy_to_host(notes.data(), memory.data(), bytes);

  Trace trace;
  std::uint64_t start = UINT64_MAX;
  for (int role = 0; role <= consumers; ++role)
    start = std::min(start, notes[role * kCapacity].begin);
  for (int role = 0; role <= consumers; ++role) {
    trace.threads.push_back(role == 0 ? "producer" : "consumer " + std::to_string(role - 1));
    const Note* const of = notes.data() + role * kCapacity;
    std::uint64_t number = 0;  // of the k-tile
    for (int i = 0; i + 1 < kCapacity && of[i + 1].begin != 0; ++i) {
      const Event event = of[i].event;
      Trace::Span span{static_cast<std::size_t>(role), kEventNames[static_cast<int>(event)],
                       of[i].begin - start, of[i + 1].begin - start};
      const Trace::StagePhase at{number % stages, number / stages};
      if (event != Event::kStore) span.name += ", stage " + std::to_string(at.first);
      if (event == Event::kLoad) span.loads = {at};
      if (event == Event::kMultiply) span.reads = {at};
      number += span.loads.size() + span.reads.size();
      trace.spans.push_back(std::move(span));
    }
  }
  return trace.json(std::string(chapter) + " timeline", trial.device().problem());
}

// What a chapter registers.
inline Demonstration demonstration(const char* chapter, std::string (*trace)()) {
  return {chapter, "timeline",
          "when one block waits, loads, multiplies and stores, for plots/timeline.py", nullptr,
          trace};
}

}  // namespace harness::ring_timeline
