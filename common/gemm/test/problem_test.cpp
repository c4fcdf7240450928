// Validation: what it accepts, and every message word for word.

#include <gemm/problem.hpp>
#include <gemm/stored.hpp>

#include <core/error.hpp>
#include <test/catch.hpp>

#include <cstdint>
#include <limits>

namespace {

using gemm::DataType;
using gemm::EpilogueKind;
using gemm::Major;
using gemm::Problem;

alignas(16) char memory[16];

// 2x3x4, packed, valid.
Problem valid() {
  Problem p;
  p.m = 2;
  p.n = 3;
  p.k = 4;
  p.a = p.b = memory;
  p.c = memory;
  p.lda = p.ldb = 4;
  p.ldc = 3;
  return p;
}

std::string refusal(const Problem& problem) {
  try {
    gemm::validate(problem, "who");
  } catch (const core::Refused& refused) {
    return refused.what();
  }
  return "accepted";
}

template <class Change>
std::string refusal_after(Change change) {
  Problem p = valid();
  change(p);
  return refusal(p);
}

}  // namespace

TEST_CASE("a valid problem is accepted") {
  CHECK(refusal(valid()) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.type = p.c_type = DataType::kFp16; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.c_type = DataType::kFp32; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.lda = 5, p.ldb = 100, p.ldc = 7; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.split_k = 20; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.a = memory + 2; }) == "accepted");
}

TEST_CASE("matrices without elements need no memory") {
  CHECK(refusal(Problem{}) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.m = 0, p.a = nullptr, p.c = nullptr; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.n = 0, p.b = nullptr, p.c = nullptr; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.k = 0, p.a = p.b = nullptr; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.m = 0, p.b = nullptr; }) ==
        "who: b = null: B has elements");
}

TEST_CASE("sizes") {
  CHECK(refusal_after([](Problem& p) { p.m = -4; }) == "who: m = -4: a size must not be negative");
  CHECK(refusal_after([](Problem& p) { p.n = -1; }) == "who: n = -1: a size must not be negative");
  CHECK(refusal_after([](Problem& p) { p.k = std::numeric_limits<std::int64_t>::min(); }) ==
        "who: k = -9223372036854775808: a size must not be negative");
  CHECK(refusal_after([](Problem& p) { p.n = p.ldc = std::int64_t{1} << 31; }) ==
        "who: n = 2147483648: kernels index with 32 bits (at most 2147418112)");
  CHECK(refusal_after([](Problem& p) { p.n = p.ldc = gemm::kLargestSize; }) == "accepted");
}

TEST_CASE("element types and split") {
  CHECK(refusal_after([](Problem& p) { p.type = DataType::kFp32; }) ==
        "who: type = fp32: elements of A and B are bf16 or fp16");
  CHECK(refusal_after([](Problem& p) { p.split_k = 0; }) ==
        "who: split_k = 0: K is cut into at least one part");
}

TEST_CASE("leading dimensions") {
  CHECK(refusal_after([](Problem& p) { p.lda = 3; }) ==
        "who: lda = 3: shorter than a row of A (K = 4 elements)");
  CHECK(refusal_after([](Problem& p) { p.ldb = -4; }) ==
        "who: ldb = -4: shorter than a row of B (K = 4 elements)");
  CHECK(refusal_after([](Problem& p) { p.ldc = 2; }) ==
        "who: ldc = 2: shorter than a row of C (N = 3 elements)");
  // The rule does not depend on whether there are rows.
  CHECK(refusal_after([](Problem& p) { p.m = 0, p.lda = 3; }) ==
        "who: lda = 3: shorter than a row of A (K = 4 elements)");

  const auto columns = [](Problem& p) { p.a_major = p.b_major = Major::kMn; };
  CHECK(refusal_after([&](Problem& p) { columns(p), p.lda = 2, p.ldb = 3; }) == "accepted");
  CHECK(refusal_after([&](Problem& p) { columns(p), p.lda = 1; }) ==
        "who: lda = 1: shorter than a column of A (M = 2 elements)");
  CHECK(refusal_after([&](Problem& p) { columns(p), p.ldb = 2; }) ==
        "who: ldb = 2: shorter than a column of B (N = 3 elements)");
  CHECK(refusal_after([](Problem& p) { p.b_major = Major::kMn, p.ldb = 2; }) ==
        "who: ldb = 2: shorter than a column of B (N = 3 elements)");
  CHECK(refusal_after([](Problem& p) { p.b_major = Major::kMn, p.lda = 3; }) ==
        "who: lda = 3: shorter than a row of A (K = 4 elements)");
}

TEST_CASE("products that overflow 64 bits") {
  constexpr std::int64_t kBig = std::int64_t{1} << 62;  // 2 rows: 2^63 elements
  CHECK(refusal_after([](Problem& p) { p.lda = kBig; }) ==
        "who: lda = 4611686018427387904: the 2 rows of A would span more bytes than 64 bits can "
        "count");
  // 2^61 x 2 rows x 2 bytes = 2^63 bytes: the elements fit, the bytes do not.
  CHECK(refusal_after([](Problem& p) { p.lda = kBig / 2; }) ==
        "who: lda = 2305843009213693952: the 2 rows of A would span more bytes than 64 bits can "
        "count");
  CHECK(refusal_after([](Problem& p) { p.lda = kBig / 4; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.ldb = kBig; }) ==
        "who: ldb = 4611686018427387904: the 3 rows of B would span more bytes than 64 bits can "
        "count");
  // 2^60 x 2 rows x 4 bytes: too much for an fp32 C, not for a bf16 one.
  CHECK(refusal_after([](Problem& p) { p.ldc = kBig / 4; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.ldc = kBig / 4, p.c_type = DataType::kFp32; }) ==
        "who: ldc = 1152921504606846976: the 2 rows of C would span more bytes than 64 bits can "
        "count");
}

TEST_CASE("pointers") {
  CHECK(refusal_after([](Problem& p) { p.a = nullptr; }) == "who: a = null: A has elements");
  CHECK(refusal_after([](Problem& p) { p.b = nullptr; }) == "who: b = null: B has elements");
  CHECK(refusal_after([](Problem& p) { p.c = nullptr; }) == "who: c = null: C has elements");
  const auto odd = reinterpret_cast<char*>(std::uintptr_t{0x7f01});
  CHECK(refusal_after([=](Problem& p) { p.a = odd; }) ==
        "who: a = 0x7f01: not aligned to its 2-byte elements");
  CHECK(refusal_after([=](Problem& p) { p.b = odd; }) ==
        "who: b = 0x7f01: not aligned to its 2-byte elements");
  CHECK(refusal_after([=](Problem& p) { p.c = odd; }) ==
        "who: c = 0x7f01: not aligned to its 2-byte elements");
  CHECK(refusal_after([=](Problem& p) { p.c = odd + 1, p.c_type = DataType::kFp32; }) ==
        "who: c = 0x7f02: not aligned to its 4-byte elements");
}

TEST_CASE("a bias is checked where it is used") {
  const auto bias = [](Problem& p, const void* pointer) {
    p.epilogue.kind = EpilogueKind::kBiasRelu;
    p.epilogue.bias = pointer;
  };
  CHECK(refusal_after([&](Problem& p) { bias(p, memory); }) == "accepted");
  CHECK(refusal_after([&](Problem& p) { bias(p, nullptr); }) ==
        "who: bias = null: the epilogue adds a bias");
  CHECK(refusal_after([&](Problem& p) { bias(p, reinterpret_cast<void*>(std::uintptr_t{3})); }) ==
        "who: bias = 0x3: not aligned to its 2-byte elements");
  CHECK(refusal_after([&](Problem& p) { bias(p, nullptr), p.m = 0; }) == "accepted");
  CHECK(refusal_after([](Problem& p) { p.epilogue.kind = EpilogueKind::kAlphaBeta; }) ==
        "accepted");
}
