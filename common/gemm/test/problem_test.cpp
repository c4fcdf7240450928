// Validation: what it accepts, and every message word for word.

#include <gemm/inputs.hpp>

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
char* const odd = reinterpret_cast<char*>(std::uintptr_t{0x7f01});
constexpr std::int64_t kBig = std::int64_t{1} << 62;  // 2 rows: 2^63 elements

void bias(Problem& p, const void* pointer) {
  p.epilogue = {.kind = EpilogueKind::kBiasRelu, .bias = pointer};
}

struct Case {
  void (*change)(Problem&);
  std::string message;
};

const Case kCases[] = {
    {[](Problem&) {}, "accepted"},
    {[](Problem& p) { p.c_type = DataType::kFp32; }, "accepted"},
    {[](Problem& p) { p.lda = 5, p.ldb = 100, p.ldc = 7; }, "accepted"},
    {[](Problem& p) { p.a = memory + 2; }, "accepted"},
    // Matrices without elements need no memory.
    {[](Problem& p) { p.m = 0, p.a = p.c = nullptr; }, "accepted"},
    {[](Problem& p) { p.n = p.k = 0, p.a = p.b = p.c = nullptr; }, "accepted"},
    {[](Problem& p) { p.m = 0, p.b = nullptr; }, "b = null: B has elements"},
    {[](Problem& p) { p.a = nullptr; }, "a = null: A has elements"},
    {[](Problem& p) { p.c = nullptr; }, "c = null: C has elements"},

    {[](Problem& p) { p.m = -4; }, "m = -4: a size must not be negative"},
    {[](Problem& p) { p.k = std::numeric_limits<std::int64_t>::min(); },
     "k = -9223372036854775808: a size must not be negative"},
    {[](Problem& p) { p.n = p.ldc = std::int64_t{1} << 31; },
     "n = 2147483648: kernels index with 32 bits (at most 2147418112)"},
    {[](Problem& p) { p.n = p.ldc = gemm::kLargestSize; }, "accepted"},
    {[](Problem& p) { p.type = DataType::kFp32; },
     "type = fp32: elements of A and B are bf16 or fp16"},
    {[](Problem& p) { p.split_k = 0; }, "split_k = 0: K is cut into at least one part"},

    {[](Problem& p) { p.lda = 3; }, "lda = 3: shorter than a row of A (K = 4 elements)"},
    {[](Problem& p) { p.ldb = -4; }, "ldb = -4: shorter than a row of B (K = 4 elements)"},
    {[](Problem& p) { p.ldc = 2; }, "ldc = 2: shorter than a row of C (N = 3 elements)"},
    // The rule does not depend on whether there are rows.
    {[](Problem& p) { p.m = 0, p.lda = 3; }, "lda = 3: shorter than a row of A (K = 4 elements)"},
    {[](Problem& p) { p.a_major = Major::kMn, p.lda = 1; },
     "lda = 1: shorter than a column of A (M = 2 elements)"},
    {[](Problem& p) { p.b_major = Major::kMn, p.ldb = 3; }, "accepted"},
    {[](Problem& p) { p.b_major = Major::kMn, p.ldb = 2; },
     "ldb = 2: shorter than a column of B (N = 3 elements)"},

    // 2^61 x 2 rows x 2 bytes = 2^63 bytes: the elements fit, the bytes do not.
    {[](Problem& p) { p.lda = kBig / 2; },
     "lda = 2305843009213693952: the 2 rows of A would span more bytes than 64 bits can count"},
    {[](Problem& p) { p.lda = kBig / 4; }, "accepted"},
    {[](Problem& p) { p.ldb = kBig; },
     "ldb = 4611686018427387904: the 3 rows of B would span more bytes than 64 bits can count"},
    // 2^60 x 2 rows x 4 bytes: too much for an fp32 C, not for a bf16 one.
    {[](Problem& p) { p.ldc = kBig / 4; }, "accepted"},
    {[](Problem& p) { p.ldc = kBig / 4, p.c_type = DataType::kFp32; },
     "ldc = 1152921504606846976: the 2 rows of C would span more bytes than 64 bits can count"},

    {[](Problem& p) { p.a = odd; }, "a = 0x7f01: not aligned to its 2-byte elements"},
    {[](Problem& p) { p.b = odd; }, "b = 0x7f01: not aligned to its 2-byte elements"},
    {[](Problem& p) { p.c = odd; }, "c = 0x7f01: not aligned to its 2-byte elements"},
    {[](Problem& p) { p.c = odd + 1, p.c_type = DataType::kFp32; },
     "c = 0x7f02: not aligned to its 4-byte elements"},
    {[](Problem& p) { bias(p, memory); }, "accepted"},
    {[](Problem& p) { bias(p, nullptr); }, "bias = null: the epilogue adds a bias"},
    {[](Problem& p) { bias(p, odd); }, "bias = 0x7f01: not aligned to its 2-byte elements"},
    {[](Problem& p) { bias(p, nullptr), p.m = 0; }, "accepted"},
};

}  // namespace

TEST_CASE("a problem is accepted, or refused with the rule that it breaks") {
  for (const Case& c : kCases) {
    Problem problem = gemm::packed_problem(2, 3, 4, DataType::kBf16);
    problem.a = problem.b = problem.c = memory;
    c.change(problem);
    std::string said = "who: accepted";
    try {
      gemm::validate(problem, "who");
    } catch (const core::Refused& refused) {
      said = refused.what();
    }
    CHECK(said == "who: " + c.message);
  }
}
