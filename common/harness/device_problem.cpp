#include <harness/device_problem.hpp>

#include <harness/backend.hpp>


namespace harness {
namespace {

double stored_bytes(const gemm::Stored& stored, gemm::DataType type) {
  if (stored.empty()) return 0;
  const double elements = static_cast<double>(stored.lines - 1) * static_cast<double>(stored.ld) +
                          static_cast<double>(stored.length);
  return elements * gemm::bytes_per_element(type);
}

// The CPU backend puts guards of its own around every allocation and names whoever reads behind its
// end. Guards of ours around A and B would only blunt that.
bool guards_inputs(const Placement& placement) {
  return placement.guard_inputs && backend::kind() == Backend::kCuda;
}

}  // namespace

void DeviceProblem::Matrix::fill(const void* contents) {
  const std::vector<std::byte> image = layout.image(contents);
  gpu::copy_to_device(memory.data(), image.data(), image.size());
  // A copy from ordinary memory may still be under way when it returns, and the stream that kernels
  // run in does not wait for it by itself.
  gpu::synchronize();
}

std::vector<std::byte> DeviceProblem::Matrix::fetch() const {
  std::vector<std::byte> bytes(layout.bytes());
  gpu::copy_to_host(bytes.data(), memory.data(), bytes.size());
  return bytes;
}

void* DeviceProblem::Matrix::start() const {
  return empty ? nullptr : memory.data() + layout.matrix_offset();
}

DeviceProblem::Matrix DeviceProblem::place(const gemm::Stored& stored, gemm::DataType type,
                                           const void* contents, std::int64_t offset,
                                           bool guarded) {
  constexpr std::size_t kGuardBytes = 4096;
  const gemm::GuardedMatrix layout(stored, type, offset, guarded ? kGuardBytes : 0);
  Matrix matrix{layout, DeviceMemory(layout.bytes()), stored.empty()};
  matrix.fill(contents);
  return matrix;
}

DeviceProblem::DeviceProblem(const gemm::HostOperands& host, const Placement& placement)
    : host_(&host),
      problem_(host.problem),
      a_(place(gemm::stored_a(problem_), problem_.type, problem_.a, placement.a,
               guards_inputs(placement))),
      b_(place(gemm::stored_b(problem_), problem_.type, problem_.b, placement.b,
               guards_inputs(placement))),
      c_(place(gemm::stored_c(problem_), problem_.c_type, problem_.c, placement.c, true)),
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
  Outcome outcome = {c_.fetch(), c_.layout.matrix_offset(), std::nullopt};
  outcome.damage = c_.layout.damage(outcome.allocation.data());
  if (a_.fetch() != a_.layout.image(host_->problem.a)) outcome.damage = "A was written to";
  if (b_.fetch() != b_.layout.image(host_->problem.b)) outcome.damage = "B was written to";
  std::vector<std::byte> bias(bias_.bytes());
  gpu::copy_to_host(bias.data(), bias_.data(), bias.size());
  if (bias != host_->bias) outcome.damage = "the bias was written to";
  return outcome;
}

double operand_bytes(const gemm::Problem& p) {
  return stored_bytes(gemm::stored_a(p), p.type) + stored_bytes(gemm::stored_b(p), p.type) +
         stored_bytes(gemm::stored_c(p), p.c_type);
}

}  // namespace harness
