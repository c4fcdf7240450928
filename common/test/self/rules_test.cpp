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

harness::Chapter chapter(bool tma, harness::Ceiling ceiling = harness::Ceiling::kWgmma) {
  harness::Chapter c;
  c.name = "some";
  c.ceiling = ceiling;
  c.tma_operands = tma;
  return c;
}
const harness::Chapter kSynchronous = chapter(false, harness::Ceiling::kFfma);

Problem problem(std::int64_t k) {
  Problem p = gemm::packed_problem(16, 16, k, gemm::DataType::kBf16);
  p.a = p.b = memory;
  p.c = memory;
  return p;
}

Expected with(bool tma, std::int64_t k, void (*change)(Problem&)) {
  Problem p = problem(k);
  change(p);
  return test::expected(chapter(tma), p);
}

void nothing(Problem&) {}

}  // namespace

TEST_CASE("chapters before TMA take every plain problem") {
  CHECK(with(false, 7, nothing) == Expected::kRight);
  CHECK(with(false, 8, [](Problem& p) { p.a = memory + 2; }) == Expected::kRight);
  CHECK(with(false, 8, [](Problem& p) { p.ldb = 9; }) == Expected::kRight);
}

TEST_CASE("TMA chapters refuse what TMA cannot reach, and nothing else") {
  CHECK(with(true, 8, nothing) == Expected::kRight);
  CHECK(with(true, 7, nothing) == Expected::kRefused);
  CHECK(with(true, 7, [](Problem& p) { p.lda = p.ldb = 8; }) == Expected::kRight);
  CHECK(with(true, 7, [](Problem& p) { p.lda = 8; }) == Expected::kRefused);
  CHECK(with(true, 7, [](Problem& p) { p.ldb = 8; }) == Expected::kRefused);
  CHECK(with(true, 8, [](Problem& p) { p.lda = 12; }) == Expected::kRefused);
  CHECK(with(true, 8, [](Problem& p) { p.a = memory + 8; }) == Expected::kRefused);
  CHECK(with(true, 8, [](Problem& p) { p.b = memory + 2; }) == Expected::kRefused);
  CHECK(with(true, 8, [](Problem& p) { p.c = memory + 2; }) == Expected::kRight);
  CHECK(with(true, 8, [](Problem& p) { p.ldc = 17; }) == Expected::kRight);
  CHECK(with(true, 7, [](Problem& p) { p.m = 0; }) == Expected::kRightOrRefused);
  CHECK(with(true, 0, nothing) == Expected::kRight);
  CHECK(with(true, 0, [](Problem& p) { p.lda = 3; }) == Expected::kRightOrRefused);
}

TEST_CASE("options may be refused") {
  for (const bool tma : {false, true}) {
    const Expected option = Expected::kRightOrRefused;
    CHECK(with(tma, 16, [](Problem& p) { p.a_major = gemm::Major::kMn; }) == option);
    CHECK(with(tma, 16, [](Problem& p) { p.b_major = gemm::Major::kMn; }) == option);
    CHECK(with(tma, 16, [](Problem& p) { p.split_k = 2; }) == option);
    CHECK(with(tma, 16, [](Problem& p) { p.c_type = gemm::DataType::kFp32; }) == option);
    CHECK(with(tma, 16, [](Problem& p) { p.epilogue.kind = gemm::EpilogueKind::kBiasRelu; }) ==
          option);
  }
}

TEST_CASE("asynchronous chapters are tried under several policies") {
  CHECK(test::policies(kSynchronous).size() == 1);
  CHECK(test::policies(chapter(false)) ==
        std::vector<std::string>{"late", "mix", "random:1", "random:2", "random:3"});
  std::set<std::string> met;
  for (std::size_t i = 4; i < 8; ++i) {
    const std::vector<std::string> two = test::policies_in_turn(chapter(true), i);
    CHECK(two.size() == 2);
    CHECK(two.front() == "late");
    met.insert(two.begin(), two.end());
  }
  CHECK(met.size() == test::policies(chapter(true)).size());
  CHECK(test::policies_in_turn(kSynchronous, 5) == std::vector<std::string>{"late"});
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
