#include <test/cases.hpp>

namespace test {
namespace {

using gemm::DataType;
using gemm::Problem;
using gemm::Values;

constexpr DataType kTypes[] = {DataType::kBf16, DataType::kFp16};
constexpr Values kBothValues[] = {Values::kIntegers, Values::kUniform};

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Rows of A and B start at multiples of 16 bytes, whatever K: what TMA needs.
Case with_16_byte_rows(Case c) {
  c.problem.lda = round_up(c.problem.k, 8);
  c.problem.ldb = round_up(c.problem.k, 8);
  return c;
}

Case with_ld(Case c, std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  c.problem.lda = lda;
  c.problem.ldb = ldb;
  c.problem.ldc = ldc;
  return c;
}

// B stored (K, N), n contiguous.
Case n_major(Case c) {
  c.problem.b_major = gemm::Major::kMn;
  return c;
}

Case repeated(Case c) {
  c.repeat = true;
  return c;
}

Case with_options(Case c, const gemm::Epilogue& epilogue, int split_k = 1) {
  c.problem.epilogue = epilogue;
  c.problem.split_k = split_k;
  return c;
}

}  // namespace

Case packed(std::int64_t m, std::int64_t n, std::int64_t k, DataType type, Values values) {
  return {.problem = gemm::packed_problem(m, n, k, type), .values = values};
}
Case with_ldc(Case c, std::int64_t ldc) {
  c.problem.ldc = ldc;
  return c;
}

std::string label(const Case& c) {
  const Problem& p = c.problem;
  std::string out = p.shape() + " " + std::string(gemm::name(p.type));
  out += c.values == Values::kIntegers ? " integers" : " random";
  const auto list = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
  };
  out += " ld " + list(p.lda, p.ldb, p.ldc);
  if (c.a_offset != 0 || c.b_offset != 0 || c.c_offset != 0) {
    out += " base offsets " + list(c.a_offset, c.b_offset, c.c_offset);
  }
  if (p.c_type != p.type) out += " C " + std::string(gemm::name(p.c_type));
  if (p.a_major == gemm::Major::kMn) out += " A M-major";
  if (p.b_major == gemm::Major::kMn) out += " B N-major";
  if (p.epilogue.kind == gemm::EpilogueKind::kAlphaBeta) {
    out +=
        " alpha " + std::to_string(p.epilogue.alpha) + " beta " + std::to_string(p.epilogue.beta);
  }
  if (p.epilogue.kind == gemm::EpilogueKind::kBiasRelu) out += " bias+ReLU";
  if (p.split_k != 1) out += " split " + std::to_string(p.split_k);
  return out;
}

std::vector<Case> square_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    for (const Values values : kBothValues) {
      for (const int size : {64, 128}) {
        out.push_back(packed(size, size, size, type, values));
        out.back().repeat = true;
      }
    }
    out.push_back(packed(256, 256, 256, type));
  }
  return out;
}

std::vector<Case> ragged_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    for (const Values values : kBothValues) {
      out.push_back(packed(129, 65, 33, type, values));
      out.push_back(with_16_byte_rows(out.back()));
    }
    out.push_back(packed(200, 264, 328, type));
    out.push_back(with_16_byte_rows(packed(127, 257, 95, type)));
    out.back().repeat = true;
  }
  return out;
}

std::vector<Case> tiny_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    for (const Values values : kBothValues) {
      out.push_back(packed(1, 1, 1, type, values));
      out.push_back(with_16_byte_rows(out.back()));
      out.push_back(packed(1, 1, 8, type, values));
      out.push_back(packed(3, 5, 7, type, values));
      out.push_back(with_16_byte_rows(out.back()));
      out.push_back(packed(2, 2, 16, type, values));
    }
  }
  return out;
}

std::vector<Case> skinny_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    for (const Values values : kBothValues) {
      out.push_back(packed(1, 512, 64, type, values));
      out.push_back(packed(512, 1, 64, type, values));
    }
    out.push_back(packed(1, 1, 2048, type));
  }
  return out;
}

std::vector<Case> deep_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    out.push_back(packed(64, 72, 1032, type));
    out.push_back(packed(136, 40, 1000, type, Values::kUniform));
  }
  return out;
}

std::vector<Case> empty_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    out.push_back(packed(0, 5, 8, type));
    out.push_back(packed(5, 0, 8, type));
    out.push_back(packed(0, 0, 8, type));
    out.push_back(packed(0, 0, 0, type));
    out.push_back(packed(5, 7, 0, type));
    out.push_back(with_ld(packed(130, 70, 0, type), 8, 8, 75));
    out.push_back(packed(0, 5, 7, type));
  }
  return out;
}

std::vector<Case> strided_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    out.push_back(with_ld(packed(96, 80, 64, type), 128, 72, 88));
    out.push_back(with_ld(packed(130, 70, 40, type), 48, 40, 71));  // odd ldc
    out.push_back(with_ld(packed(130, 70, 40, type), 48, 40, 1000));
    out.push_back(with_ld(packed(130, 70, 40, type), 43, 48, 70));  // odd lda
    out.push_back(with_ld(packed(130, 70, 40, type), 40, 41, 70));  // odd ldb
    out.push_back(with_ld(packed(67, 131, 37, type, Values::kUniform), 39, 45, 133));
    out.push_back(with_ld(packed(128, 128, 64, type), 68, 66, 130));  // 8- and 4-byte rows
    out.push_back(with_ld(packed(72, 131, 40, type), 40, 40, 136));   // odd N, even ldc
  }
  return out;
}

std::vector<Case> misaligned_cases() {
  std::vector<Case> out;
  const auto add = [&](Case c, std::int64_t a, std::int64_t b, std::int64_t to_c) {
    c.a_offset = a;
    c.b_offset = b;
    c.c_offset = to_c;
    out.push_back(c);
  };
  for (const DataType type : kTypes) {
    const Case c = packed(72, 136, 40, type);
    add(c, 1, 0, 0);
    add(c, 0, 1, 0);
    add(c, 0, 0, 1);
    add(c, 2, 4, 0);
    add(c, 8, 8, 2);
    add(c, 0, 0, 4);
    add(c, 3, 5, 7);
  }
  return out;
}

std::vector<Case> option_cases() {
  std::vector<Case> out;
  for (const DataType type : kTypes) {
    for (const Values values : kBothValues) {
      const Case plain = with_ld(packed(104, 136, 72, type, values), 144, 144, 144);
      const auto add = [&](auto change) {
        out.push_back(plain);
        change(out.back().problem);
      };
      add([](Problem& p) { p.a_major = gemm::Major::kMn; });
      add([](Problem& p) { p.b_major = gemm::Major::kMn; });
      add([](Problem& p) { p.a_major = p.b_major = gemm::Major::kMn; });
      add([](Problem& p) { p.c_type = DataType::kFp32; });
      add([](Problem& p) { p.split_k = 3; });
      add([](Problem& p) { p.epilogue = {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f}; });
      add([](Problem& p) { p.epilogue = {gemm::EpilogueKind::kAlphaBeta, 3.0f, 0.0f}; });
      add([](Problem& p) { p.epilogue = {gemm::EpilogueKind::kBiasRelu}; });
    }
  }
  return out;
}

std::vector<Case> revealing_cases() {
  const DataType bf16 = DataType::kBf16;
  return {
      packed(128, 128, 64, bf16),
      with_16_byte_rows(packed(129, 65, 33, bf16)),
      with_ld(packed(200, 264, 72, bf16), 80, 72, 267),
      packed(64, 72, 1032, bf16, Values::kUniform),
      packed(5, 7, 0, bf16),
      with_16_byte_rows(packed(3, 5, 7, bf16)),
      with_ld(packed(130, 70, 40, bf16), 48, 40, 80),  // wide stores of C fit, but not its width
      packed(384, 320, 136, bf16),
      with_ld(packed(72, 131, 40, bf16), 40, 40, 136),             // an odd N, but stores in pairs
      n_major(with_ld(packed(104, 136, 72, bf16), 80, 144, 136)),  // refused, or right
      repeated(with_options(packed(72, 136, 328, bf16), {}, 4)),   // so are these
      with_options(packed(72, 136, 72, bf16), {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f}),
      with_options(packed(72, 136, 72, bf16), {gemm::EpilogueKind::kBiasRelu}),
      with_options(packed(72, 136, 0, bf16), {gemm::EpilogueKind::kBiasRelu}),
  };
}

}  // namespace test
