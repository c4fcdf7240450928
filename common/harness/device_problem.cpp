#include <harness/device_problem.hpp>

#include <gemm/verify.hpp>

namespace harness {

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

DeviceProblem::DeviceProblem(const gemm::HostOperands& host, const Placement& placement)
    : host_(&host),
      placement_(placement),
      problem_(host.problem),
      // The CPU backend puts guards of its own around every allocation and names whoever reads
      // behind its end. Guards of ours around A and B would only blunt that.
      guard_bytes_(placement.inputs_alone || !on_gpu() ? 0 : 4096),
      a_{{gemm::stored_a(problem_), problem_.type, placement.a, guard_bytes_}},
      b_{{gemm::stored_b(problem_), problem_.type, placement.b, guard_bytes_}},
      c_{{gemm::stored_c(problem_), problem_.c_type, placement.c}},
      bias_(host.bias.size()) {
  const auto place = [](Matrix& matrix, const gemm::Stored& stored, auto& pointer) {
    matrix.fill(pointer);
    pointer = stored.empty() ? nullptr : matrix.memory.data() + matrix.layout.matrix_offset();
  };
  place(a_, gemm::stored_a(problem_), problem_.a);
  place(b_, gemm::stored_b(problem_), problem_.b);
  place(c_, gemm::stored_c(problem_), problem_.c);
  gpu::copy_to_device(bias_.data(), host.bias.data(), host.bias.size());
  gpu::synchronize();
  if (!host.bias.empty()) problem_.epilogue.bias = bias_.data();
}

void DeviceProblem::reset_c() {
  c_.fill(host_->problem.c);
}

DeviceProblem::Outcome DeviceProblem::fetch_c() const {
  gpu::synchronize();
  Outcome outcome = {c_.fetch(), c_.layout.matrix_offset(), std::nullopt};
  outcome.damage = c_.layout.damage(outcome.allocation.data());
  if (!placement_.inputs_alone) return outcome;
  if (a_.fetch() != a_.layout.image(host_->problem.a)) outcome.damage = "A was written to";
  if (b_.fetch() != b_.layout.image(host_->problem.b)) outcome.damage = "B was written to";
  std::vector<std::byte> bias(host_->bias.size());
  gpu::copy_to_host(bias.data(), bias_.data(), bias.size());
  if (bias != host_->bias) outcome.damage = "the bias was written to";
  return outcome;
}

std::string Verdict::report(std::string headline) const {
  for (const std::string& line : failure) headline += "\n  " + line;
  return headline + "\n";
}

Trial::Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second, int sets,
             std::uint64_t seed, const Placement& placement)
    : host_(gemm::make_operands(shape, values, seed)) {
  for (int i = 0; i < sets; ++i) devices_.emplace_back(host_, placement);
  if (!second) return;
  second(devices_.front().problem());
  second_ = devices_.front().fetch_c();
}

std::vector<gemm::Problem> Trial::problems() const {
  std::vector<gemm::Problem> all;
  for (const DeviceProblem& device : devices_) all.push_back(device.problem());
  return all;
}

Verdict Trial::judge(std::size_t set) const {
  const DeviceProblem::Outcome outcome = devices_[set].fetch_c();
  const gemm::Report report = gemm::verify(host_, outcome.c());
  const std::string some =
      report.checked == report.entries ? "all " : std::to_string(report.checked) + " of ";
  Verdict verdict = {report.rel_err,
                     some + std::to_string(report.entries) + " entries against fp64" +
                         (second_ ? ", all against cuBLAS" : ""),
                     {}};
  if (!report.ok()) verdict.failure = gemm::describe(report);
  if (report.ok() && second_) {
    const gemm::Problem& p = host_.problem;
    const gemm::Report agreement =
        gemm::compare(p, host_.values, outcome.c(), p.ldc, second_->c(), p.ldc);
    if (!agreement.ok()) {
      verdict.failure = gemm::describe(agreement);
      verdict.failure.front() = "held against cuBLAS: " + verdict.failure.front();
    }
  }
  if (outcome.damage) verdict.failure.push_back(*outcome.damage);
  return verdict;
}

Verdict Trial::run(const Plan& plan, gpu::Stream stream) {
  devices_.front().reset_c();
  plan.run(stream);
  gpu::synchronize();
  check_after_launches();
  return judge();
}

double operand_bytes(const gemm::Problem& p) {
  const auto bytes = [](const gemm::Stored& stored, gemm::DataType type) {
    return static_cast<double>(stored.elements()) * gemm::bytes_per_element(type);
  };
  return bytes(gemm::stored_a(p), p.type) + bytes(gemm::stored_b(p), p.type) +
         bytes(gemm::stored_c(p), p.c_type);
}

}  // namespace harness
