#pragma once
// Where threads meet: the block's barrier and the warp's exchange of values.

#include <runtime/site.hpp>
#include <runtime/waiting.hpp>

#include <cstdint>

namespace runtime {

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
  enum class Sites { kSame, kAny };  // must all lanes call from the same place?

  struct View {
    const std::uint32_t* values;  // [32], valid until this thread's next meeting but one
    std::uint32_t present;        // lanes that took part
  };

  // What the last lane to arrive does for all, given every lane's operand. All 32 lanes must be
  // live.
  using Action = void (*)(Warp& warp, void* const* operands);

  // `word` names the operation for reports. Throws core::DeviceError when other lanes of the warp
  // are in another operation, or at another place under kSame.
  View meet(Thread& thread, std::uint32_t value, const char* word, Sites sites, Site where);
  // The same for operations that act on all lanes' operands at once; these stay put until done.
  void meet_to(Thread& thread, Action action, void* operand, const char* word, Site where);
  void on_exit(Warp& warp);
  std::string describe(const Thread& waiter) const override;

 private:
  void arrive(Thread& thread, const char* word, Sites sites, Site where);
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

// For the words, on behalf of the running thread.
WarpMeeting::View meet_warp(std::uint32_t value, const char* word, WarpMeeting::Sites sites,
                            Site where);
void meet_warp_to(WarpMeeting::Action action, void* operand, const char* word, Site where);

}  // namespace runtime
