#include <harness/check.hpp>

namespace harness {

Trial::Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second,
             std::uint64_t seed, const Placement& placement)
    : host_(std::make_unique<gemm::HostOperands>(gemm::make_operands(shape, values, seed))),
      device_(*host_, placement) {
  if (!second) return;
  second(device_.problem());
  second_ = device_.fetch_c();
}

Verdict Trial::judge(const DeviceProblem& device) const {
  const DeviceProblem::Outcome outcome = device.fetch_c();
  const gemm::Report report = gemm::verify(*host_, outcome.c());
  Verdict verdict = {.ok = report.ok(),
                     .rel_err = report.rel_err,
                     .entries = report.entries,
                     .checked = report.checked,
                     .second_opinion = second_.has_value(),
                     .failure = {}};
  if (!report.ok()) verdict.failure = gemm::describe(report);
  if (report.ok() && second_) {
    const gemm::Problem& p = host_->problem;
    const gemm::Report agreement =
        gemm::compare(p, host_->values, outcome.c(), p.ldc, second_->c(), p.ldc);
    if (!agreement.ok()) {
      verdict.ok = false;
      verdict.failure = gemm::describe(agreement);
      verdict.failure.front() = "held against cuBLAS: " + verdict.failure.front();
    }
  }
  if (outcome.damage) {
    verdict.ok = false;
    verdict.failure.push_back(*outcome.damage);
  }
  return verdict;
}

}  // namespace harness
