#include <harness/device_problem.hpp>

#include <harness/backend.hpp>

#include <gemm/stored.hpp>

namespace harness {
void DeviceProblem::Matrix::fill(const void* contents) {
  const std::vector<std::byte> image = layout.image(contents);
  gpu::copy_to_device(memory.data(), image.data(), image.size());
  // A copy from ordinary memory may still be under way when it returns, and the stream that kernels
  // run in does not wait for it by itself.
  gpu::synchronize();
}

void* DeviceProblem::Matrix::start() const {
  return empty ? nullptr : memory.data() + layout.matrix_offset();
}

// The CPU backend puts guards of its own around every allocation and names whoever reads behind its
// end. Guards of ours around A and B would only blunt that.
DeviceProblem::Matrix DeviceProblem::place(const gemm::Stored& stored, gemm::DataType type,
                                           const void* contents, bool written) {
  constexpr std::size_t kGuardBytes = 4096;
  const bool guarded = written || backend::kind() == Backend::kCuda;
  const gemm::GuardedMatrix layout(stored, type, 0, guarded ? kGuardBytes : 0);
  Matrix matrix{layout, DeviceMemory(layout.bytes()), stored.empty()};
  matrix.fill(contents);
  return matrix;
}

DeviceProblem::DeviceProblem(const gemm::HostOperands& host)
    : host_(&host),
      problem_(host.problem),
      a_(place(gemm::stored_a(problem_), problem_.type, problem_.a, false)),
      b_(place(gemm::stored_b(problem_), problem_.type, problem_.b, false)),
      c_(place(gemm::stored_c(problem_), problem_.c_type, problem_.c, true)),
      bias_(host.bias.size()) {
  gpu::copy_to_device(bias_.data(), host.bias.data(), host.bias.size());
  gpu::synchronize();
  problem_.a = a_.start();
  problem_.b = b_.start();
  problem_.c = c_.start();
  if (!host.bias.empty()) problem_.epilogue.bias = bias_.data();
}

void DeviceProblem::reset_c() {
  c_.fill(host_->problem.c);
}

DeviceProblem::Outcome DeviceProblem::fetch_c() const {
  gpu::synchronize();
  Outcome outcome;
  outcome.allocation.resize(c_.layout.bytes());
  outcome.offset = c_.layout.matrix_offset();
  gpu::copy_to_host(outcome.allocation.data(), c_.memory.data(), outcome.allocation.size());
  outcome.damage = c_.layout.damage(outcome.allocation.data());
  return outcome;
}

double operand_bytes(const gemm::Problem& p) {
  const auto bytes = [](const gemm::Stored& stored, gemm::DataType type) {
    return static_cast<double>(stored.elements()) * gemm::bytes_per_element(type);
  };
  return bytes(gemm::stored_a(p), p.type) + bytes(gemm::stored_b(p), p.type) +
         bytes(gemm::stored_c(p), p.c_type);
}

}  // namespace harness
