#pragma once
// One problem in the memory of whatever runs the kernels, fenced so that stray writes are noticed,
// and the judgement of what a kernel made of it.

#include <harness/chapter.hpp>

#include <gemm/guard.hpp>
#include <gemm/inputs.hpp>
#include <gemm/verify.hpp>

#include <functional>

namespace harness {

// By what is linked: whether kernels run on a GPU, or on the CPU backend.
extern const bool kOnGpu;

// Throws what the CPU backend found out about the launches so far (core::DeviceError).
void check_after_launches();

// A handle of a C library that is destroyed with its owner. Create functions are given &handle.
template <auto kDestroy, class T>
struct Owned {
  T handle = nullptr;

  Owned() = default;
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owned() {
    if (handle != nullptr) kDestroy(handle);
  }
  operator T() const { return handle; }
};

struct DeviceMemory : Owned<gpu::release, void*> {
  explicit DeviceMemory(std::size_t bytes) { handle = gpu::allocate(bytes); }
  std::byte* data() const { return static_cast<std::byte*>(handle); }
};

// Where matrices begin, in elements behind a multiple of 256 bytes. Alone, A and B end where their
// allocations do, so that a checker of memory accesses sees every read that goes too far, and are
// held against the host's after a run.
struct Placement {
  std::int64_t a = 0, b = 0, c = 0;
  bool inputs_alone = false;
};

// Copies of host operands on the device. The matrices lie between poisoned guards: a stray read of
// A or B meets NaN, a stray write is found afterwards.
class DeviceProblem {
 public:
  explicit DeviceProblem(const gemm::HostOperands& host, const Placement& placement = {});

  const gemm::Problem& problem() const { return problem_; }  // with device pointers

  // Puts C back to what it holds before a run: poison, or the old C where the epilogue reads it.
  void reset_c() const { matrices_[kC].fill(); }

  struct Outcome {
    gemm::Bytes allocation;  // C and its guards, copied to the host
    std::size_t offset = 0;
    std::optional<std::string> damage;  // one line when a guard or an input was written to

    const void* c() const { return allocation.data() + offset; }
  };
  // Waits for everything launched so far.
  Outcome fetch_c() const;

 private:
  struct Matrix {
    gemm::GuardedMatrix layout;
    const void* contents;  // on the host; null: poison
    DeviceMemory memory{layout.bytes()};

    void fill() const;
    gemm::Bytes fetch() const;
    bool changed() const;  // of an input
  };

  gemm::Problem problem_;
  bool inputs_alone_;
  static constexpr std::size_t kC = 2;
  std::vector<Matrix> matrices_;  // A, B, C, bias
};

struct Verdict {
  double rel_err = 0;                // against fp64, over the checked entries
  std::string coverage;              // "4096 of 16777216 entries against fp64, all against cuBLAS"
  std::vector<std::string> failure;  // lines, when it is wrong

  bool ok() const { return failure.empty(); }
  std::string report(std::string headline) const {  // with the failure below it
    for (const std::string& line : failure) headline += "\n  " + line;
    return headline + "\n";
  }
};

// Another implementation of the same problem, to hold all entries of C against where the reference
// can afford only a sample. Computes C and waits for it.
using SecondOpinion = std::function<void(const gemm::Problem&)>;

// One problem's operands, the C that the second opinion (where there is one) computed from them,
// and device memory to run in: as many copies as there are to be sets.
class Trial {
 public:
  Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second, int sets = 1,
        std::uint64_t seed = 20, const Placement& placement = {});
  Trial(const Trial&) = delete;

  const DeviceProblem& device(std::size_t set = 0) const { return devices_[set]; }
  std::vector<gemm::Problem> problems() const {  // of all sets
    std::vector<gemm::Problem> all;
    for (const DeviceProblem& device : devices_) all.push_back(device.problem());
    return all;
  }

  Verdict judge(std::size_t set = 0) const;  // what is in a set's C

  // Poisons the first set's C, runs the plan on it, waits and judges.
  Verdict run(const Plan& plan, gpu::Stream stream = {}) const {
    devices_.front().reset_c();
    plan.run(stream);
    gpu::synchronize();
    check_after_launches();
    return judge();
  }

 private:
  const gemm::HostOperands host_;
  const gemm::Expected expected_;
  std::vector<DeviceProblem> devices_;
  std::optional<DeviceProblem::Outcome> second_;
};

// Bytes of A, B and C together, as far as a double can count them.
inline double operand_bytes(const gemm::Problem& p) {
  const std::int64_t inputs = gemm::stored_a(p).elements() + gemm::stored_b(p).elements();
  return static_cast<double>(inputs) * gemm::bytes_per_element(p.type) +
         static_cast<double>(gemm::stored_c(p).elements()) * gemm::bytes_per_element(p.c_type);
}

}  // namespace harness
