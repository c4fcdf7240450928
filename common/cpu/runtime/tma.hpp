#pragma once
// The tensor memory accelerator: boxes of a tensor between global and shared memory,
// asynchronously.

#include <core/modes.hpp>
#include <runtime/mbarrier.hpp>
#include <runtime/shared_memory.hpp>
#include <runtime/site.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runtime {

class Gang;
class Timing;
struct Block;
struct Thread;

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
  void begin(Gang& gang, Timing& timing);

  void load(const TensorMap& map, const int* at, int rank, void* smem, void* barrier,
            unsigned cta_mask, const char* word, Site where);
  void store(const TensorMap& map, const int* at, int rank, const void* smem, Site where);
  void commit_stores();
  void wait_for_stores(unsigned pending);  // reading and writing are one moment here

  // Carries out the load that somebody waits for, or else the oldest. False when there is none.
  bool advance();
  // Under the random policy: carries out one load or store, maybe.
  void stir();

  // core::DeviceError when this shared memory is being written by a load that nobody has waited
  // for, or read by a store that nobody has waited for.
  void check_read(const Touch& touch);
  void check_write(const Touch& touch);
  bool idle() const { return loads_.empty() && stores_.empty(); }

  void on_thread_exit(const Thread& thread) const;
  void on_block_exit(const Block& block) const;

  struct Load {
    Box box;
    Block* block;  // whose shared memory and barrier
    std::uint32_t offset;
    MbarrierState* barrier;
    std::uint64_t phase;  // of the barrier, when the load was issued
    bool landed;
    Site where;

    bool observed() const { return barrier->observed(phase); }
  };
  // A load that is writing some of this and that nobody has waited for; null when there is none.
  const Load* filling(const Touch& touch);

 private:
  struct Store {
    Box box;
    const Thread* thread;
    const Block* block;
    std::uint32_t offset;
    unsigned group;
    bool done;
    Site where;
  };
  static void carry_out(Load& load);
  static void carry_out(Store& store);
  std::vector<Load*> under_way();

  Gang* gang_ = nullptr;
  Timing* timing_ = nullptr;
  std::vector<Load> loads_;    // in the order of their issue, until waited for
  std::vector<Store> stores_;  // until waited for
};

}  // namespace runtime
