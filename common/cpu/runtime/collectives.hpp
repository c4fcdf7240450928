#pragma once
// Where threads meet: barriers, the warp's exchange of values and its 8x8 matrices.

#include <runtime/site.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace runtime {

class Gang;
struct Block;
struct Thread;
struct Warp;

// Barrier 0 of a block.
class BlockBarrier final : public Waitable {
 public:
  void sync(Thread& thread, Site where);
  void on_exit(Block& block);  // a thread has left: the rest may be complete now
  std::string describe(const Thread& waiter) const override;

 private:
  void complete(Block& block);

  unsigned arrived_ = 0;
};

// One value of every lane, published to all of them. Lanes that do not exist or have exited are not
// waited for.
class WarpMeeting final : public Waitable {
 public:
  struct View {
    const std::uint32_t* values;  // [32], valid until this thread's next meeting but one
    std::uint32_t present;        // lanes that took part
  };

  // What the last lane to arrive does for all, given every lane's operand. All 32 lanes must be
  // live.
  using Action = void (*)(Warp& warp, void* const* operands);

  // `word` names the operation for reports. Throws core::DeviceError when other lanes of the warp
  // are in another operation, or at another place (which sync_warp allows). With an action,
  // operands stay put until it is done.
  View meet(Thread& thread, const char* word, Site where, std::uint32_t value, Action action,
            void* operand);
  void on_exit(Warp& warp);
  std::string describe(const Thread& waiter) const override;

 private:
  void complete(Warp& warp);

  // Two sets: a lane that runs ahead into the next meeting must not overwrite what others have yet
  // to read. It cannot get two ahead, since each meeting needs every lane.
  struct Round {
    std::uint32_t values[32];
    std::uint32_t present;
  };
  Round rounds_[2] = {};
  unsigned current_ = 0;
  std::uint32_t arrived_ = 0;
  const char* word_ = "";
  Site where_;
  Action action_ = nullptr;
  void* operands_[32] = {};
};

// For the intrinsics, on behalf of the running thread.
WarpMeeting::View meet_warp(const char* word, Site where, std::uint32_t value = 0,
                            WarpMeeting::Action action = nullptr, void* operand = nullptr);

// PTX ldmatrix.xN[.trans] / stmatrix.xN[.trans] on behalf of the running thread; all 32 lanes.
void load_matrices(std::uint32_t* out, const void* row, int count, bool transposed, Site where);
void store_matrices(void* row, const std::uint32_t* in, int count, bool transposed, Site where);

// PTX mma.sync.m16n8k16: d[4] += a[4] * b[2].
void multiply_m16n8k16(float* d, const std::uint32_t* a, const std::uint32_t* b, bool bf16,
                       Site where);

// d (rows, columns) += a (rows, depth) b (depth, columns), all row-major; rows a multiple of 4,
// columns of 8. Each element adds its products in order.
void multiply_add(float* d, const float* a, const float* b, int rows, int columns, int depth);

// Block `rank` of the running thread's cluster. core::DeviceError when there is none, or when it
// has exited: its shared memory is gone then.
Block& live_peer(unsigned rank, const char* word, Site where);

// The place in the peer's shared memory that corresponds to `shared` in the running block's.
void* map_to(Block& peer, const void* shared, const char* word, Site where);

// PTX barrier.cluster: threads arrive and wait in two steps. Those that have exited count as
// arrived.
class ClusterBarrier final : public Waitable {
 public:
  void arrive(Thread& thread, Site where);
  void wait(Thread& thread, Site where);
  void on_exit(Thread& thread);
  std::uint32_t phases() const { return phase_; }  // how often all have met
  std::string describe(const Thread& waiter) const override;

 private:
  void complete_if_due(Gang& gang);

  unsigned arrived_ = 0;
  std::uint32_t phase_ = 0;
};

// PTX barrier.cta with an id from 0 to 15 and a number of threads.
class NamedBarrier final : public Waitable {
 public:
  // One thread comes. True: all have, and those that wait go on.
  bool complete_with(Thread& thread, int id, int threads, Site where);
  std::string describe(const Thread& waiter) const override;
  std::string likely_cause(const Thread& waiter) const override;

 private:
  int id_ = 0;
  int expected_ = 0;  // 0: nobody has come yet
  int arrived_ = 0;
  Site where_;
};

// For the intrinsics: the running thread comes, and waits for the others or goes on.
void named_barrier(int id, int threads, bool waits, Site where);

// PTX setmaxnreg by the running thread's warp, which has met: `count` registers from here on,
// `more` than before or fewer. core::DeviceError when that is not so, and when, all warpgroups
// having spoken, they ask for more than the block has.
void set_registers(int count, bool more, Site where);

// The threads of a gang that wait for such integers. Nobody tells them: their gang looks when it
// has nothing else to do, and stands aside for others when that does not help.
class SemaphoreWaits final : public Waitable {
 public:
  void wait(Thread& thread, const int* semaphore, int value, Site where);

  bool any() const { return !waits_.empty(); }
  bool can_go_on() const;  // does one of them hold the value that is waited for?
  bool wake_if_due(Gang& gang);
  std::string describe(const Thread& waiter) const override;

 private:
  struct One {
    const Thread* thread;
    const int* semaphore;
    int value;
  };
  std::vector<One> waits_;
};

}  // namespace runtime
