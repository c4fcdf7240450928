#include <gemm/problem.hpp>

#include <core/error.hpp>

#include <sstream>

namespace gemm {

std::string_view name(DataType type) {
  constexpr std::string_view kNames[] = {"bf16", "fp16", "fp32"};
  return kNames[static_cast<int>(type)];
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
  const auto require = [&](bool fits, const std::string& parameter, const auto& value,
                           const std::string& rule) {
    if (fits) return;
    std::ostringstream line;
    line << who << ": " << parameter << " = " << value << ": " << rule;
    throw core::Refused(line.str());
  };
  for (const auto& [parameter, size] : {std::pair{"m", p.m}, {"n", p.n}, {"k", p.k}}) {
    require(size >= 0, parameter, size, "a size must not be negative");
    require(size <= kLargestSize, parameter, size,
            "kernels index with 32 bits (at most 2147418112)");
  }
  require(p.type == DataType::kBf16 || p.type == DataType::kFp16, "type", name(p.type),
          "elements of A and B are bf16 or fp16");
  require(p.split_k >= 1, "split_k", p.split_k, "K is cut into at least one part");

  const auto require_aligned = [&](const char* parameter, const void* data, DataType type) {
    const int bytes = bytes_per_element(type);
    require(reinterpret_cast<std::uintptr_t>(data) % static_cast<unsigned>(bytes) == 0, parameter,
            data, "not aligned to its " + std::to_string(bytes) + "-byte elements");
  };
  const auto matrix = [&](const char* parameter, const char* name, const void* data,
                          const Stored& stored, Major major, const std::string& length,
                          DataType type) {
    const std::string ld = std::string("ld") + parameter, of = std::string(" of ") + name;
    const std::string line = major == Major::kK ? "row" : "column";
    require(stored.ld >= stored.length, ld, stored.ld,
            "shorter than a " + line + of + " (" + length + " = " + std::to_string(stored.length) +
                " elements)");
    std::int64_t bytes = 0;
    require(!__builtin_mul_overflow(stored.lines, stored.ld, &bytes) &&
                !__builtin_mul_overflow(bytes, std::int64_t{bytes_per_element(type)}, &bytes),
            ld, stored.ld,
            "the " + std::to_string(stored.lines) + " " + line + "s" + of +
                " would span more bytes than 64 bits can count");
    require(data != nullptr || stored.empty(), parameter, "null",
            std::string(name) + " has elements");
    require_aligned(parameter, data, type);
  };
  const auto contiguous = [](Major major, const char* mn) { return major == Major::kK ? "K" : mn; };
  matrix("a", "A", p.a, stored_a(p), p.a_major, contiguous(p.a_major, "M"), p.type);
  matrix("b", "B", p.b, stored_b(p), p.b_major, contiguous(p.b_major, "N"), p.type);
  matrix("c", "C", p.c, stored_c(p), Major::kK, "N", p.c_type);
  if (!p.epilogue.adds_bias()) return;
  require(p.epilogue.bias != nullptr || stored_c(p).empty(), "bias", "null",
          "the epilogue adds a bias");
  require_aligned("bias", p.epilogue.bias, p.type);
}

}  // namespace gemm
