#include <harness/check.hpp>

namespace harness {

Trial::Trial(const gemm::Problem& shape, gemm::Values values, const SecondOpinion& second, int sets)
    : host_(gemm::make_operands(shape, values, 20)) {
  for (int i = 0; i < sets; ++i) devices_.emplace_back(host_);
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
  Verdict verdict = {.rel_err = report.rel_err,
                     .entries = report.entries,
                     .checked = report.checked,
                     .second_opinion = second_.has_value(),
                     .failure = {}};
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

}  // namespace harness
