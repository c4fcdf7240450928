#include <gemm/problem.hpp>

#include <core/error.hpp>

#include <sstream>

namespace gemm {
namespace {

// Refuses in one line: "who: parameter = value: rule".
struct Rules {
  std::string_view who;

  template <class Value>
  [[noreturn]] void refuse(std::string_view parameter, const Value& value,
                           const std::string& rule) const {
    std::ostringstream line;
    line << who << ": " << parameter << " = " << value << ": " << rule;
    throw core::Refused(line.str());
  }

  void size(const char* parameter, std::int64_t value) const {
    if (value < 0) refuse(parameter, value, "a size must not be negative");
    if (value > kLargestSize) {
      refuse(parameter, value, "kernels index with 32 bits (at most 2147418112)");
    }
  }

  // `what` is the matrix's name, `line` and `extent` say what a line is and which size it has.
  void leading_dimension(const char* parameter, const Stored& matrix, const std::string& what,
                         const std::string& line, const std::string& extent, DataType type) const {
    if (matrix.ld < matrix.length) {
      refuse(parameter, matrix.ld,
             "shorter than a " + line + " of " + what + " (" + extent + " = " +
                 std::to_string(matrix.length) + " elements)");
    }
    std::int64_t elements = 0, bytes = 0;
    if (__builtin_mul_overflow(matrix.lines, matrix.ld, &elements) ||
        __builtin_mul_overflow(elements, std::int64_t{bytes_per_element(type)}, &bytes)) {
      refuse(parameter, matrix.ld,
             "the " + std::to_string(matrix.lines) + " " + line + "s of " + what +
                 " would span more bytes than 64 bits can count");
    }
  }

  void pointer(const char* parameter, const void* value, bool needed, const char* why_needed,
               DataType type) const {
    const int bytes = bytes_per_element(type);
    if (value == nullptr && needed) refuse(parameter, "null", why_needed);
    if (reinterpret_cast<std::uintptr_t>(value) % static_cast<unsigned>(bytes) != 0) {
      refuse(parameter, value, "not aligned to its " + std::to_string(bytes) + "-byte elements");
    }
  }
};

}  // namespace

std::string_view name(DataType type) {
  constexpr std::string_view names[] = {"bf16", "fp16", "fp32"};
  const auto i = static_cast<std::size_t>(type);
  return i < std::size(names) ? names[i] : "unknown type";
}

int bytes_per_element(DataType type) {
  return type == DataType::kFp32 ? 4 : 2;
}

double Problem::flops() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

std::string Problem::shape() const {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

void validate(const Problem& p, std::string_view who) {
  const Rules rules = {who};
  rules.size("m", p.m);
  rules.size("n", p.n);
  rules.size("k", p.k);
  if (p.type != DataType::kBf16 && p.type != DataType::kFp16) {
    rules.refuse("type", name(p.type), "elements of A and B are bf16 or fp16");
  }
  if (p.split_k < 1) rules.refuse("split_k", p.split_k, "K is cut into at least one part");

  const bool a_rows = p.a_major == Major::kK, b_rows = p.b_major == Major::kK;
  rules.leading_dimension("lda", stored_a(p), "A", a_rows ? "row" : "column", a_rows ? "K" : "M",
                          p.type);
  rules.leading_dimension("ldb", stored_b(p), "B", b_rows ? "row" : "column", b_rows ? "K" : "N",
                          p.type);
  rules.leading_dimension("ldc", stored_c(p), "C", "row", "N", p.c_type);

  const bool c_has_elements = !stored_c(p).empty();
  rules.pointer("a", p.a, !stored_a(p).empty(), "A has elements", p.type);
  rules.pointer("b", p.b, !stored_b(p).empty(), "B has elements", p.type);
  rules.pointer("c", p.c, c_has_elements, "C has elements", p.c_type);
  if (p.epilogue.kind == EpilogueKind::kBiasRelu) {
    rules.pointer("bias", p.epilogue.bias, c_has_elements, "the epilogue adds a bias", p.type);
  }
}

}  // namespace gemm
