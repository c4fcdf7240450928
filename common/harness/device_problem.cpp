#include <harness/device_problem.hpp>

#include <algorithm>

namespace harness {

void DeviceProblem::Matrix::fill() const {
  gpu::fill_bytes(memory.data(), std::to_integer<int>(gemm::kPoison), layout.bytes());
  if (contents != nullptr) {
    gpu::copy_to_device(memory.data() + layout.matrix_offset(), contents, layout.matrix_bytes());
  }
  gpu::synchronize();  // the stream that kernels run in does not wait for copies by itself
}

gemm::Bytes DeviceProblem::Matrix::fetch() const {
  gemm::Bytes bytes = gemm::poisoned(static_cast<std::int64_t>(layout.bytes()));
  gpu::copy_to_host(bytes.data(), memory.data(), bytes.size());
  return bytes;
}

bool DeviceProblem::Matrix::changed() const {
  const gemm::Bytes now = fetch();
  const std::byte* const before = static_cast<const std::byte*>(contents);
  return layout.damage(now.data()) ||
         !std::equal(before, before + layout.matrix_bytes(), now.data() + layout.matrix_offset());
}

DeviceProblem::DeviceProblem(const gemm::HostOperands& host, const Placement& placement)
    : problem_(host.problem), inputs_alone_(placement.inputs_alone) {
  gemm::Problem& p = problem_;
  const auto place = [&](const gemm::Stored& stored, gemm::DataType type, std::int64_t offset,
                         std::size_t guard, auto& pointer) {
    const gemm::GuardedMatrix layout(stored, type, offset, guard);
    const Matrix& matrix = matrices_.emplace_back(Matrix{layout, pointer});
    matrix.fill();
    pointer = stored.empty() ? nullptr : matrix.memory.data() + layout.matrix_offset();
  };
  // The CPU backend puts guards of its own around every allocation and names whoever reads behind
  // its end. Guards of ours around A and B would only blunt that.
  const std::size_t guard = inputs_alone_ || !kOnGpu ? 0 : 4096;
  place(gemm::stored_a(p), p.type, placement.a, guard, p.a);
  place(gemm::stored_b(p), p.type, placement.b, guard, p.b);
  if (!p.epilogue.reads_c()) p.c = nullptr;
  place(gemm::stored_c(p), p.c_type, placement.c, 4096, p.c);
  const std::int64_t bias = host.bias.empty() ? 0 : p.n;
  place({1, bias, bias}, p.type, 0, 0, p.epilogue.bias);
}

DeviceProblem::Outcome DeviceProblem::fetch_c() const {
  gpu::synchronize();
  const gemm::GuardedMatrix& c = matrices_[kC].layout;
  Outcome outcome = {matrices_[kC].fetch(), c.matrix_offset(), std::nullopt};
  outcome.damage = c.damage(outcome.allocation.data());
  constexpr const char* kNames[] = {"A", "B", "C", "the bias"};
  for (std::size_t i = 0; inputs_alone_ && i < matrices_.size(); ++i) {
    if (i != kC && matrices_[i].changed()) {
      outcome.damage = std::string(kNames[i]) + " was written to";
    }
  }
  return outcome;
}

Trial::Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second, int sets,
             std::uint64_t seed, const Placement& placement)
    : host_(gemm::make_operands(shape, values, seed)), expected_(gemm::expected_of(host_)) {
  for (int i = 0; i < sets; ++i) devices_.emplace_back(host_, placement);
  if (!second) return;
  second(devices_.front().problem());
  second_ = devices_.front().fetch_c();
}

Verdict Trial::judge(std::size_t set) const {
  const DeviceProblem::Outcome outcome = devices_[set].fetch_c();
  const gemm::Report report = gemm::verify(host_, outcome.c(), expected_);
  const bool all = report.checked == report.entries;
  Verdict verdict = {report.rel_err,
                     (all ? "all " : std::to_string(report.checked) + " of ") +
                         std::to_string(report.entries) + " entries against fp64" +
                         (second_ ? ", all against cuBLAS" : ""),
                     report.ok() ? std::vector<std::string>() : gemm::describe(report)};
  const gemm::Problem& p = host_.problem;
  if (report.ok() && second_) {
    const auto agreed = gemm::compare(p, host_.values, outcome.c(), p.ldc, second_->c(), p.ldc);
    if (!agreed.ok()) verdict.failure = gemm::describe(agreed);
    if (!agreed.ok()) verdict.failure.front().insert(0, "held against cuBLAS: ");
  }
  if (outcome.damage) verdict.failure.push_back(*outcome.damage);
  return verdict;
}

}  // namespace harness
