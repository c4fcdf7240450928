// Who may refuse what.

#include <test/backend.hpp>
#include <test/cases.hpp>
#include <test/catch.hpp>
#include <test/rules.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace {

using gemm::Problem;
using test::Expected;

alignas(16) char memory[64];

harness::Chapter chapter(const char* name) {
  harness::Chapter c;
  c.name = name;
  return c;
}

Problem problem(std::int64_t k) {
  Problem p = gemm::packed_problem(16, 16, k, gemm::DataType::kBf16);
  p.a = p.b = memory;
  p.c = memory;
  return p;
}

Expected with(const char* name, std::int64_t k, void (*change)(Problem&)) {
  Problem p = problem(k);
  change(p);
  return test::expected(chapter(name), p);
}

void nothing(Problem&) {}

}  // namespace

TEST_CASE("chapters before TMA take every plain problem") {
  for (const char* name : {"01_naive", "05_swizzle_pipeline"}) {
    CHECK(with(name, 7, nothing) == Expected::kRight);
    CHECK(with(name, 8, [](Problem& p) { p.a = memory + 2; }) == Expected::kRight);
    CHECK(with(name, 8, [](Problem& p) { p.ldb = 9; }) == Expected::kRight);
  }
}

TEST_CASE("TMA chapters refuse what TMA cannot reach, and nothing else") {
  for (const char* name : {"06_wgmma_tma", "09_hilbert_schedule", "10_later"}) {
    CHECK(with(name, 8, nothing) == Expected::kRight);
    CHECK(with(name, 7, nothing) == Expected::kRefused);
    CHECK(with(name, 7, [](Problem& p) { p.lda = p.ldb = 8; }) == Expected::kRight);
    CHECK(with(name, 7, [](Problem& p) { p.lda = 8; }) == Expected::kRefused);
    CHECK(with(name, 7, [](Problem& p) { p.ldb = 8; }) == Expected::kRefused);
    CHECK(with(name, 8, [](Problem& p) { p.lda = 12; }) == Expected::kRefused);
    CHECK(with(name, 8, [](Problem& p) { p.a = memory + 8; }) == Expected::kRefused);
    CHECK(with(name, 8, [](Problem& p) { p.b = memory + 2; }) == Expected::kRefused);
    CHECK(with(name, 8, [](Problem& p) { p.c = memory + 2; }) == Expected::kRight);
    CHECK(with(name, 8, [](Problem& p) { p.ldc = 17; }) == Expected::kRight);
    CHECK(with(name, 7, [](Problem& p) { p.m = 0; }) == Expected::kRightOrRefused);
    CHECK(with(name, 0, nothing) == Expected::kRight);
    CHECK(with(name, 0, [](Problem& p) { p.lda = 3; }) == Expected::kRightOrRefused);
  }
}

TEST_CASE("options may be refused") {
  for (const char* name : {"02_smem_tiling", "07_warp_specialized"}) {
    const Expected option = Expected::kRightOrRefused;
    CHECK(with(name, 16, [](Problem& p) { p.a_major = gemm::Major::kMn; }) == option);
    CHECK(with(name, 16, [](Problem& p) { p.b_major = gemm::Major::kMn; }) == option);
    CHECK(with(name, 16, [](Problem& p) { p.split_k = 2; }) == option);
    CHECK(with(name, 16, [](Problem& p) { p.c_type = gemm::DataType::kFp32; }) == option);
    CHECK(with(name, 16, [](Problem& p) { p.epilogue.kind = gemm::EpilogueKind::kBiasRelu; }) ==
          option);
  }
}

TEST_CASE("asynchronous chapters are tried under several policies") {
  CHECK(test::policies(chapter("03_warptiling")).size() == 1);
  CHECK(test::policies(chapter("04_mma_ldmatrix")) ==
        std::vector<std::string>{"late", "mix", "random:1", "random:2", "random:3"});
  std::set<std::string> met;
  for (std::size_t i = 4; i < 8; ++i) {
    const std::vector<std::string> two = test::policies_in_turn(chapter("09_last"), i);
    CHECK(two.size() == 2);
    CHECK(two.front() == "late");
    met.insert(two.begin(), two.end());
  }
  CHECK(met.size() == test::policies(chapter("09_last")).size());
  CHECK(test::policies_in_turn(chapter("03_warptiling"), 5) == std::vector<std::string>{"late"});
  CHECK(test::number(chapter("09_hilbert_schedule")) == 9);
}

TEST_CASE("all listed problems are valid but for their pointers") {
  for (const auto& list :
       {test::square_cases(), test::ragged_cases(), test::tiny_cases(), test::skinny_cases(),
        test::deep_cases(), test::empty_cases(), test::strided_cases(), test::misaligned_cases(),
        test::option_cases(), test::revealing_cases()}) {
    CHECK(!list.empty());
    for (const test::Case& c : list) {
      Problem p = c.problem;
      p.a = p.b = p.epilogue.bias = memory;
      p.c = memory;
      INFO(label(c));
      CHECK_NOTHROW(gemm::validate(p, "case"));
    }
  }
}
