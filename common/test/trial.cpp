#include <test/trial.hpp>

#include <test/backend.hpp>

#include <core/error.hpp>
#include <harness/job.hpp>

#include <cstdint>
#include <optional>

namespace test {
namespace {

enum class Expected {
  kRight,           // C comes out right
  kRefused,         // core::Refused from prepare(), naming the chapter
  kRightOrRefused,  // an option that some chapters have: either, but never a wrong C
};

bool travels_by_tma(const void* base, std::int64_t ld, gemm::DataType type) {
  return reinterpret_cast<std::uintptr_t>(base) % 16 == 0 &&
         ld * gemm::bytes_per_element(type) % 16 == 0;
}

// For a problem that gemm::validate() accepts.
//   Chapters whose operands travel by TMA: bases and strides of A and B must be multiples of 16
//   bytes. They are refused otherwise, unless C is empty or K = 0, where there is nothing to
//   travel. Operand majors other than K, an epilogue, a split of K, an element type of C that
//   differs from A's: options.
Expected expected(const harness::Chapter& chapter, const gemm::Problem& p) {
  const bool fits = travels_by_tma(p.a, p.lda, p.type) && travels_by_tma(p.b, p.ldb, p.type);
  if (chapter.tma_operands && !fits) {
    const bool nothing_to_do = p.m == 0 || p.n == 0 || p.k == 0;
    return nothing_to_do ? Expected::kRightOrRefused : Expected::kRefused;
  }
  const bool plain = p.a_major == gemm::Major::kK && p.b_major == gemm::Major::kK &&
                     p.epilogue.kind == gemm::EpilogueKind::kIdentity && p.split_k == 1 &&
                     p.c_type == p.type;
  return plain ? Expected::kRight : Expected::kRightOrRefused;
}

}  // namespace

std::vector<std::string> policies(const harness::Chapter& chapter) {
  std::vector<std::string> all = all_policies();
  if (chapter.ceiling == harness::Ceiling::kFfma) return {all.front()};
  std::erase(all, "early");  // "mix" completes some at once
  return all;
}

std::vector<std::string> policies_in_turn(const harness::Chapter& chapter, std::size_t index) {
  const std::vector<std::string> all = policies(chapter);
  if (all.size() == 1) return all;
  return {all.front(), all[1 + index % (all.size() - 1)]};
}

std::optional<std::string> why_not(const harness::Chapter& chapter) {
  return harness::why_unsupported(chapter, compute_capability());
}

std::vector<std::string> judge_refusal(const harness::Chapter& chapter,
                                       const std::string& message) {
  if (message.find(chapter.name) == std::string::npos || message.find('\n') != std::string::npos) {
    return {"not a line that names the chapter: " + message};
  }
  return {};
}

std::vector<std::string> try_case(const harness::Chapter& chapter, const harness::Variant& variant,
                                  const Case& c, Trial& trial) {
  const Expected rule = expected(chapter, trial.problem());
  std::optional<harness::Plan> plan;
  try {
    plan = harness::prepare(chapter, variant, trial.problem());
  } catch (const core::Refused& refused) {
    if (rule == Expected::kRight) return {std::string("refused: ") + refused.what()};
    return judge_refusal(chapter, refused.what());
  }
  if (rule == Expected::kRefused) return {"accepted, although the hardware forbids it"};
  gemm::Bytes first;
  for (int runs = 0; runs < (c.repeat ? 2 : 1); ++runs) {
    trial.reset_c();
    plan->run(gpu::Stream{});
    gpu::synchronize();
    const std::vector<std::string> complaints = trial.complaints();
    if (!complaints.empty()) return complaints;
    if (runs > 0 && trial.fetch_c() != first) return {"a second run of the plan gave another C"};
    if (c.repeat) first = trial.fetch_c();
  }
  return {};
}

}  // namespace test
