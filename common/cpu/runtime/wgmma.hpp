#pragma once
// wgmma: products of 64 x N x 32 bytes that a warpgroup issues and waits for later. The four warps
// need not arrive together: an operation is issued when the last of the 128 threads has.

#include <core/modes.hpp>
#include <core/numeric.hpp>
#include <runtime/memory.hpp>
#include <runtime/site.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace runtime {

class Gang;

inline constexpr unsigned kWarpgroupSize = 128;

// 16 bytes of an operand as floats, each times `sign`: to[0], to[step], ...
using ReadChunk = void (*)(const std::byte* from, float sign, float* to, int step);

template <class T>
void read_chunk(const std::byte* from, float sign, float* to, int step) {
  T elements[16 / sizeof(T)];
  std::memcpy(elements, from, sizeof elements);
  for (const T element : elements) {
    *to = sign * core::to_float(element);
    to += step;
  }
}

enum class WgmmaResult { kFp32, kFp16, kS32 };

// One instruction, as all threads must state it alike.
struct WgmmaShape {
  int n = 0, k = 16;
  ReadChunk read_a = nullptr, read_b = nullptr;
  WgmmaResult result = WgmmaResult::kFp32;
  bool saturate = false;     // s32 does not wrap around
  bool registers_a = false;  // A comes from registers
  bool mn_major_a = false, mn_major_b = false;
  int sign_a = 1, sign_b = 1;
  bool accumulate = true;

  bool packed() const { return result == WgmmaResult::kFp16; }
  int result_registers() const { return packed() ? n / 4 : n / 2; }
  friend bool operator==(const WgmmaShape&, const WgmmaShape&) = default;
};

// An operand in shared memory: which 16 bytes hold what.
struct WgmmaOperand {
  core::MatrixDescriptorFields fields;
  bool mn_major = false;
  int rows = 0;                        // 64 for A, N for B
  std::uint32_t begin = 0, end = ~0u;  // its chunks lie between; closer once they are checked

  // Offset in the window of 16 bytes: K-major, the row's first or second; MN-major, rows 8 part ..
  // 8 part + 7 of column `row`.
  std::uint32_t chunk(int row, int part) const;
  // use(row, part, offset) for each of them.
  template <class Use>
  void for_each_chunk(Use use) const {
    for (int row = 0; row < (mn_major ? 16 : rows); ++row) {
      for (int part = 0; part < (mn_major ? rows / 8 : 2); ++part) use(row, part, chunk(row, part));
    }
  }
};

// What stands in an accumulator register while an operation that writes it is under way. A NaN.
inline constexpr std::uint32_t kInFlight = 0x7fedacc0;

class Warpgroup final : public Waitable {
 public:
  void begin(Block& block);

  void fence(Thread& thread);
  void issue(Thread& thread, const WgmmaShape& shape, std::uint32_t* d, core::MatrixDescriptor a,
             const std::uint32_t* a_registers, core::MatrixDescriptor b, Site where);
  void commit(Thread& thread, Site where);
  void wait(Thread& thread, unsigned pending, Site where);

  void stir();  // carries out one operation, if any is complete
  bool idle() const { return operations_.empty(); }
  // core::DeviceError when an operation under way reads this shared memory.
  void check_write(const Touch& touch) const;
  void on_thread_exit(const Thread& thread) const;
  std::string describe(const Thread& waiter) const override;
  std::string likely_cause(const Thread& waiter) const override;

 private:
  // A named array of registers in 128 threads, and its contents as the matrix that they make.
  struct Accumulator {
    WgmmaShape shape;
    std::array<std::uint32_t*, kWarpgroupSize> registers = {};
    std::array<bool, kWarpgroupSize> in_flight = {};          // contents are in `tile`
    std::array<std::uint64_t, kWarpgroupSize> last_use = {};  // operation, by thread
    std::array<unsigned, kWarpgroupSize> fences = {};         // the thread's, when it got them back
    // (64, N) row-major. Of integers the bits are theirs.
    std::vector<float> tile;
  };
  struct Operation {
    WgmmaShape shape;
    WgmmaOperand a, b;
    core::MatrixDescriptor descriptor_a, descriptor_b;
    std::vector<float> register_a;  // (64, K), when A comes from registers
    Accumulator* accumulator = nullptr;
    unsigned arrived = 0;
    Site where;
  };
  struct Fragment {  // registers of A in one thread, as its last operation with them saw them
    const std::uint32_t* registers = nullptr;
    std::array<std::uint32_t, 4> values = {};
    unsigned fences = 0;
    std::uint64_t operation = 0;
  };
  struct Lane {  // what one thread has done so far
    std::uint64_t issued = 0;
    std::uint64_t committed = 0;  // groups
    unsigned fences = 0;
    unsigned fences_at_wait = 0;
    std::vector<Fragment> fragments;
    std::uint64_t waited = 0;  // operations below have been waited for
    Site last;                 // of its last operation
  };

  Operation& operation(std::uint64_t number) { return operations_[number - first_]; }
  Accumulator& accumulator_for(unsigned lane, std::uint32_t* d, const WgmmaShape& shape,
                               Site where);
  void take_over(Accumulator& accumulator, unsigned lane, bool accumulate, Site where);
  void give_back(Accumulator& accumulator, unsigned lane, Site where);
  void check_a_registers(unsigned lane, const std::uint32_t* a, Site where);
  void check_operands(Operation& operation) const;
  void carry_out(Operation& operation);
  void carry_out_below(std::uint64_t end);

  Block* block_ = nullptr;
  std::array<Lane, kWarpgroupSize> lanes_;
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  std::deque<Operation> operations_;  // not yet waited for; number first_ and on
  std::uint64_t first_ = 0;
  std::uint64_t complete_ = 0;         // operations below have been issued by all threads
  std::uint64_t done_ = 0;             // operations below have been carried out
  std::vector<std::uint64_t> groups_;  // where each group ends
};

// The warpgroups of a gang.
class TensorCores {
 public:
  void begin(Gang& gang);
  Warpgroup& of(const Thread& thread);

  void stir();
  bool idle() const;
  void check_write(const Touch& touch) const;
  void on_thread_exit(const Thread& thread);

 private:
  Gang* gang_ = nullptr;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups_;  // by number in the gang; null until used
  std::vector<Warpgroup*> used_;
};

// For the intrinsics: that of the running thread, which they pass on.
Warpgroup& running_warpgroup(const char* word);

// Throws core::DeviceError: a value read from an accumulator that is in flight.
[[noreturn]] void refuse_in_flight(const char* word, Site where);

}  // namespace runtime
