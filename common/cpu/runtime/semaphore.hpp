#pragma once
// Integers in global memory by which blocks wait for each other.

#include <runtime/site.hpp>
#include <runtime/waiting.hpp>

#include <string>
#include <vector>

namespace runtime {

class Gang;
struct Thread;

// The threads of a gang that wait for such integers. Nobody tells them: their gang looks when it
// has nothing else to do, and stands aside for others when that does not help.
class SemaphoreWaits final : public Waitable {
 public:
  void begin() { *this = {}; }
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

int load_acquire(const int* semaphore);
void store_release(int* semaphore, int value);

}  // namespace runtime
