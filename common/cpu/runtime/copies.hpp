#pragma once
// Asynchronous copies between global and shared memory: cp.async and the tensor memory accelerator.

#include <core/modes.hpp>
#include <runtime/mbarrier.hpp>
#include <runtime/memory.hpp>
#include <runtime/site.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace runtime {

class Gang;
struct Block;
struct Thread;

// PTX cp.async: copies of 4, 8 or 16 bytes from global to shared memory, waited for by groups of
// the thread that issued them.
class CopyGroups {
 public:
  void begin(Gang& gang);

  // `valid` bytes from `global`, zeros behind. Called on behalf of the running thread, as are the
  // others.
  void copy(void* smem, const void* global, std::uint32_t bytes, std::uint32_t valid, Site where);
  void commit();
  void wait(unsigned pending);
  void wait_all();
  void stir();  // under the random policy: carries out one copy, maybe

  // core::DeviceError when this shared memory is being written by a copy that its thread has not
  // waited for.
  void check(const Touch& touch) const;
  void on_thread_exit(const Thread& thread);

 private:
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::uint32_t bytes, valid;
    bool done;
    Site where;
  };
  struct Queue {  // of one thread
    std::vector<Copy> copies;
    std::vector<std::size_t> groups;  // where each committed group ends
  };

  Queue& queue_of(const Thread& thread);
  const Copy* filling(const Touch& touch) const;
  static void carry_out(Copy& copy);
  void retire(Thread& thread, std::size_t copies, std::size_t groups);

  Gang* gang_ = nullptr;
  unsigned threads_ = 0;       // of the gang
  std::vector<Queue> queues_;  // by thread of the gang; more when an earlier one had more
  bool used_ = false;
};

// --- TMA -----------------------------------------------------------------------------------------

// What a tensor map is here.
struct TensorMap {
  core::TensorMapShape shape;
  std::byte* base = nullptr;
  int element_bytes = 0;
};

// One box: which tensor, and where in it.
struct Box {
  TensorMap map;
  int at[5];

  std::uint32_t rows() const;  // inner rows
  std::uint32_t row_bytes() const {
    return map.shape.box[0] * static_cast<std::uint32_t>(map.element_bytes);
  }
  // From one row to the next in shared memory: with a swizzle, rows are as long as its span even
  // where the box does not fill them.
  std::uint32_t row_pitch() const;
  std::uint32_t bytes() const { return rows() * row_bytes(); }
  std::uint32_t tile_bytes() const { return rows() * row_pitch(); }
};

class Tma {
 public:
  void begin(Gang& gang);

  void load(const TensorMap& map, const int* at, int rank, void* smem, void* barrier,
            unsigned cta_mask, const char* word, Site where);
  void store(const TensorMap& map, const int* at, int rank, const void* smem, Site where);
  // PTX st.async of one chunk to another block of the cluster. It counts as a load.
  void send(void* smem, const void* chunk, void* barrier, unsigned rank, Site where);
  void commit_stores();
  void wait_for_stores(unsigned pending);  // reading and writing are one moment here

  // Carries out the load that somebody waits for, or else the oldest. False when there is none.
  bool advance();
  // Under the random policy: carries out one load or store, maybe.
  void stir();

  // core::DeviceError when this shared memory is being written by a load that nobody has waited
  // for, or read by a store that nobody has waited for.
  void check(const Touch& touch);
  bool idle() const { return loads_.empty() && stores_.empty(); }

  void on_thread_exit(const Thread& thread) const;
  void on_block_exit(const Block& block) const;

  // A load or a store under way, until somebody has waited for it.
  struct Transfer {
    Box box;       // not of st.async
    Block* block;  // whose shared memory, and a load's barrier
    std::uint32_t offset;
    Site where;
    // Of a load; null for a store.
    MbarrierState* barrier = nullptr;
    std::uint64_t phase = 0;  // of the barrier, when the load was issued
    // Of a store.
    const Thread* thread = nullptr;
    unsigned group = 0;
    bool done = false;
    std::optional<std::array<std::byte, kChunk>> sent = {};  // by st.async

    const char* name() const { return sent ? "st.async" : "TMA load"; }
    std::uint32_t tile_bytes() const { return sent ? kChunk : box.tile_bytes(); }
    bool observed() const { return barrier->observed(phase); }
  };
  // A load that is writing some of this and that nobody has waited for; null when there is none.
  const Transfer* filling(const Touch& touch);

 private:
  static void carry_out(Transfer& transfer);
  std::vector<Transfer*> under_way();

  Gang* gang_ = nullptr;
  std::vector<Transfer> loads_, stores_;  // in the order of their issue
};

}  // namespace runtime
