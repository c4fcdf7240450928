#pragma once
// The warpgroups of a gang, and what the words of <gpu/wgmma.hpp> call.

#include <runtime/wgmma.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace runtime {

// The warpgroups of a gang.
class TensorCores {
 public:
  void begin(Timing& timing);
  Warpgroup& of(const Thread& thread);

  void stir();
  bool idle() const;
  void check_write(const Block& block, std::uint32_t begin, std::uint32_t end, const char* word,
                   Site where) const;
  void on_thread_exit(const Thread& thread);

 private:
  Timing* timing_ = nullptr;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups_;  // by number in the gang; null until used
  std::vector<Warpgroup*> used_;
};

// For the words, on behalf of the running thread.
void wgmma_fence(Site where);
void wgmma_issue(const WgmmaShape& shape, std::uint32_t* d, core::MatrixDescriptor a,
                 const std::uint32_t* a_registers, core::MatrixDescriptor b, Site where);
void wgmma_commit(Site where);
void wgmma_wait(unsigned pending, Site where);

// Throws core::DeviceError: a value read from an accumulator that is in flight.
[[noreturn]] void refuse_in_flight(const char* word, Site where);

}  // namespace runtime
