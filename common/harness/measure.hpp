#pragma once
// Rounds of measurements on a GPU: kernels and cuBLAS at one shape, in turn, all verified.

#include <harness/check.hpp>
#include <harness/cublas.hpp>
#include <harness/job.hpp>
#include <harness/progress.hpp>
#include <harness/results.hpp>
#include <harness/timing.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

class Measurement {
 public:
  Measurement(const Job& job, const Device& device, const TimingConfig& config, const Nvml* nvml);

  std::optional<std::string> cublas_version() const;
  const std::optional<std::string>& why_no_cublas() const { return why_no_cublas_; }
  Ceilings ceilings();

  // Rows of all entrants at one shape, then of cuBLAS. Throws core::Refused when a chapter refuses
  // the shape, unless the whole ladder is measured: then its row says why it was left out.
  std::vector<Row> at(const Shape& shape);

  bool anything_wrong() const { return wrong_; }
  int rounds() const { return rounds_; }

 private:
  struct Sets;
  struct Candidate;
  Verdict judge(const std::vector<Run>& runs, Sets& sets, Candidate& candidate);
  std::optional<std::string> why_too_slow(const Entrant& entrant, const gemm::Problem& problem);
  void add_entrant(const Entrant& entrant, const Shape& shape, Sets& sets,
                   std::vector<Candidate>& all);
  void add_cublas(const Shape& shape, Sets& sets, std::vector<Candidate>& all);
  void check_after(Sets& sets, Candidate& candidate, Contestant& contestant);
  Row empty_row(const std::string& chapter, const std::string& variant, const Shape& shape) const;
  void report_wrong(const std::string& label, const std::vector<std::string>& failure);

  const Job& job_;
  const Device& device_;
  TimingConfig config_;
  int rounds_;
  double budget_ms_;  // per contestant and shape
  OwnStream stream_;
  BoardSampler board_;
  std::unique_ptr<Cublas> cublas_;
  std::optional<std::string> why_no_cublas_;
  Progress progress_;
  bool wrong_ = false;
};

}  // namespace harness
