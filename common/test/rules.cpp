#include <test/rules.hpp>

#include <test/backend.hpp>

#include <harness/job.hpp>

#include <cstdint>

namespace test {
namespace {

bool travels_by_tma(const void* base, std::int64_t ld, gemm::DataType type) {
  return reinterpret_cast<std::uintptr_t>(base) % 16 == 0 &&
         ld * gemm::bytes_per_element(type) % 16 == 0;
}

}  // namespace

Expected expected(const harness::Chapter& chapter, const gemm::Problem& p) {
  if (chapter.tma_operands) {
    const bool fits = travels_by_tma(p.a, p.lda, p.type) && travels_by_tma(p.b, p.ldb, p.type);
    const bool nothing_to_do = p.m == 0 || p.n == 0 || p.k == 0;
    if (!fits && !nothing_to_do) return Expected::kRefused;
    if (!fits) return Expected::kRightOrRefused;
  }
  const bool plain = p.a_major == gemm::Major::kK && p.b_major == gemm::Major::kK &&
                     p.epilogue.kind == gemm::EpilogueKind::kIdentity && p.split_k == 1 &&
                     p.c_type == p.type;
  return plain ? Expected::kRight : Expected::kRightOrRefused;
}

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

}  // namespace test
