#pragma once
// PTX cp.async: copies of 4, 8 or 16 bytes from global to shared memory, waited for by groups of
// the thread that issued them.

#include <runtime/shared_memory.hpp>
#include <runtime/site.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runtime {

class Gang;
class Timing;
struct Thread;

class CopyGroups {
 public:
  void begin(Gang& gang, Timing& timing);

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

  Timing* timing_ = nullptr;
  unsigned threads_per_block_ = 0;
  unsigned threads_ = 0;       // of the gang
  std::vector<Queue> queues_;  // by thread of the gang; more when an earlier one had more
  bool used_ = false;
};

}  // namespace runtime
