#include <runtime/semaphore.hpp>

#include <runtime/gang.hpp>
#include <runtime/report.hpp>

#include <algorithm>
#include <atomic>

namespace runtime {

int load_acquire(const int* semaphore) {
  return std::atomic_ref(const_cast<int&>(*semaphore)).load(std::memory_order_acquire);
}

void store_release(int* semaphore, int value) {
  std::atomic_ref(*semaphore).store(value, std::memory_order_release);
}

void SemaphoreWaits::wait(Thread& thread, const int* semaphore, int value, Site where) {
  while (load_acquire(semaphore) != value) {
    waits_.push_back({&thread, semaphore, value});
    thread.warp->block->gang->wait(thread, *this, where);
    std::erase_if(waits_, [&](const One& one) { return one.thread == &thread; });
  }
}

bool SemaphoreWaits::can_go_on() const {
  return std::any_of(waits_.begin(), waits_.end(),
                     [](const One& one) { return load_acquire(one.semaphore) == one.value; });
}

bool SemaphoreWaits::wake_if_due(Gang& gang) {
  if (!can_go_on()) return false;
  gang.wake(*this);
  return true;
}

std::string SemaphoreWaits::describe(const Thread& waiter) const {
  for (const One& one : waits_) {
    if (one.thread != &waiter) continue;
    return join("for a semaphore to be ", one.value, "; it is ", load_acquire(one.semaphore));
  }
  return "for a semaphore";
}

}  // namespace runtime
