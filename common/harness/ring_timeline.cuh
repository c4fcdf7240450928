#pragma once
// When a block's producer and its consumers wait, load, multiply and store, as its ring of stages
// sees it: chapters from 07 on call the ring for each of these turns. Their kernels stay as they
// are; only the ring in their Config is replaced by one that takes notes. `text` runs such a kernel
// and returns the notes, as JSON for plots/timeline.py or as a Chrome trace.

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

// What a chapter registers, given its text().
template <std::string (*text)(bool as_trace)>
Demonstration demonstration(const char* chapter) {
  return {chapter, "timeline",
          "when one block waits, loads, multiplies and stores, for plots/timeline.py",
          [] {
            print(text(false));
            return static_cast<int>(core::kRight);
          },
          [] { return text(true); }};
}

// The n-th load goes to stage n % stages, and each consumer's n-th MMAs read it there.
inline Trace trace_of(const std::vector<Note>& notes, int consumers, std::uint64_t stages) {
  Trace trace;
  trace.tracks.push_back("producer");
  for (int i = 0; i < consumers; ++i) trace.tracks.push_back("consumer " + std::to_string(i));
  for (std::uint64_t i = 0; i < stages; ++i) trace.tracks.push_back("stage " + std::to_string(i));
  std::vector<std::size_t> loads;
  std::vector<std::uint64_t> full, read;  // when the MMAs of the n-th load begin and end
  const std::uint64_t start = notes[0].begin;
  for (int role = 0; role <= consumers; ++role) {
    const Note* const of = notes.data() + role * kCapacity;
    std::size_t count = 0;
    for (int i = 0; i + 1 < kCapacity && of[i + 1].begin != 0; ++i) {
      const std::uint64_t begin = of[i].begin - start, end = of[i + 1].begin - start;
      std::string name = kEventNames[static_cast<int>(of[i].event)];
      if (of[i].event != Event::kStore) name += ", stage " + std::to_string(count % stages);
      const std::size_t span = trace.add(static_cast<std::size_t>(role), name, begin, end);
      if (of[i].event == Event::kLoad) loads.push_back(span), ++count;
      if (of[i].event != Event::kMultiply) continue;
      if (count < loads.size()) trace.flows.push_back({loads[count], span});
      if (count == full.size()) full.push_back(begin), read.push_back(end);
      full[count] = std::min(full[count], begin);
      read[count] = std::max(read[count], end);
      ++count;
    }
  }
  for (std::size_t i = 0; i < std::min(loads.size(), full.size()); ++i) {
    const std::size_t track = 1 + static_cast<std::size_t>(consumers) + i % stages;
    const std::string phase = ", phase " + std::to_string(i / stages);
    trace.add(track, "filling" + phase, trace.spans[loads[i]].begin, full[i]);
    trace.add(track, "full" + phase, full[i], read[i]);
  }
  return trace;
}

// Runs what `prepare` makes of a problem, a plan whose kernel has a watched ring, and returns the
// notes. A GPU is kept busy as a whole; the CPU backend runs two blocks, which is enough to see the
// roles.
template <class Prepare>
std::string text(const char* chapter, int consumers, int stages, bool as_trace,
                 const Prepare& prepare) {
  const Shape shape = kOnGpu ? Shape{4096, 4096, kK} : Shape{256, 512, kK};
  const Trial trial(problem_of({}, shape), gemm::Values::kUniform, {});
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

  if (as_trace) {
    return trace_of(notes, consumers, static_cast<std::uint64_t>(stages))
        .json(formatted("%s, %s, %s: a block", chapter, shape.text().c_str(),
                        backend::device().name.c_str()));
  }
  std::uint64_t start = UINT64_MAX;
  for (int role = 0; role <= consumers; ++role)
    start = std::min(start, notes[role * kCapacity].begin);
  std::string out = formatted(
      "{\n  \"chapter\": \"%s\", \"device\": \"%s\", \"commit\": \"%s\",\n"
      "  \"shape\": \"%s\", \"k_tiles\": %d, \"unit\": \"%s\",\n  \"roles\": [",
      chapter, backend::device().name.c_str(), commit(), shape.text().c_str(), kKTiles,
      kOnGpu ? "cycles" : "steps");
  for (int role = 0; role <= consumers; ++role) {
    out += role == 0 ? "\n    {\"role\": \"producer\", \"notes\": ["
                     : formatted(",\n    {\"role\": \"consumer %d\", \"notes\": [", role - 1);
    const Note* const of = notes.data() + role * kCapacity;
    for (int i = 0; i + 1 < kCapacity && of[i + 1].begin != 0; ++i) {
      out += formatted("%s[\"%s\", %llu, %llu]", i == 0 ? "" : ", ",
                       kEventNames[static_cast<int>(of[i].event)], of[i].begin - start + 0ull,
                       of[i + 1].begin - start + 0ull);
    }
    out += "]}";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace harness::ring_timeline
