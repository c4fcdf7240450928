#include <test/trial.hpp>

#include <sstream>
#include <tuple>

namespace test {
namespace {

using gemm::DataType;
using gemm::Epilogue;
using gemm::EpilogueKind;
using gemm::Major;
using gemm::Problem;
using gemm::Values;

// Leading dimensions: as many elements as a line has, or as many more as make its bytes a multiple
// of 16, which TMA needs, whatever K.
constexpr std::int64_t kPacked = 0, kTma = -1;

struct Row {
  const char* about;
  std::int64_t m, n, k;
  std::int64_t lda = kPacked, ldb = kPacked, ldc = kPacked;
  enum { kIntegers, kUniform, kBoth } values = kIntegers;
  bool repeat = false;
};

const Row kRows[] = {
    {"square", 64, 64, 64, 0, 0, 0, Row::kBoth, true},
    {"square", 128, 128, 128, 0, 0, 0, Row::kBoth, true},
    {"square", 256, 256, 256},
    // No size a multiple of any tile.
    {"ragged", 129, 65, 33, 0, 0, 0, Row::kBoth},
    {"ragged", 129, 65, 33, kTma, kTma, 0, Row::kBoth},
    {"ragged", 200, 264, 328},
    {"ragged", 127, 257, 95, kTma, kTma, 0, Row::kIntegers, true},
    // Smaller than any tile.
    {"tiny", 1, 1, 1, 0, 0, 0, Row::kBoth},
    {"tiny", 1, 1, 1, kTma, kTma, 0, Row::kBoth},
    {"tiny", 1, 1, 8, 0, 0, 0, Row::kBoth},
    {"tiny", 3, 5, 7, 0, 0, 0, Row::kBoth},
    {"tiny", 3, 5, 7, kTma, kTma, 0, Row::kBoth},
    // One row or column.
    {"skinny", 1, 512, 64, 0, 0, 0, Row::kBoth},
    {"skinny", 512, 1, 64, 0, 0, 0, Row::kBoth},
    // K long enough to go round a ring of stages twice.
    {"deep", 64, 72, 1032},
    {"deep", 136, 40, 1000, 0, 0, 0, Row::kUniform},
    {"empty", 0, 5, 8},
    {"empty", 5, 0, 8},
    {"empty", 5, 7, 0},
    {"empty", 130, 70, 0, 8, 8, 75},
    {"empty", 0, 5, 7},
    {"strided", 96, 80, 64, 128, 72, 88},
    {"strided", 130, 70, 40, 48, 40, 71},  // odd ldc
    {"strided", 130, 70, 40, 48, 40, 1000},
    {"strided", 130, 70, 40, 43, 48, 70},  // odd lda
    {"strided", 130, 70, 40, 40, 41, 70},  // odd ldb
    {"strided", 67, 131, 37, 39, 45, 133, Row::kUniform},
    {"strided", 128, 128, 64, 68, 66, 130},  // 8- and 4-byte rows
    {"strided", 72, 131, 40, 40, 40, 136},   // odd N, even ldc
};

// Bases aligned to elements alone.
constexpr std::int64_t kOffsets[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 4, 0},
                                        {8, 8, 2}, {0, 0, 4}, {3, 5, 7}};

constexpr Epilogue kMinusC = {EpilogueKind::kAlphaBeta, 2.0f, -1.0f};
constexpr Epilogue kScale = {EpilogueKind::kAlphaBeta, 3.0f, 0.0f};
void (*const kOptions[])(Problem&) = {
    [](Problem& p) { p.a_major = Major::kMn; },
    [](Problem& p) { p.b_major = Major::kMn; },
    [](Problem& p) { p.a_major = p.b_major = Major::kMn; },
    [](Problem& p) { p.c_type = DataType::kFp32; },
    [](Problem& p) { p.split_k = 3; },
    [](Problem& p) { p.epilogue = kMinusC; },
    [](Problem& p) { p.epilogue = kScale; },
    [](Problem& p) { p.epilogue = {EpilogueKind::kBiasRelu}; },
    [](Problem& p) { p.epilogue = {EpilogueKind::kBias}; },
    [](Problem& p) { p.epilogue = {EpilogueKind::kBiasGelu}; },
    [](Problem& p) { p.epilogue = {EpilogueKind::kBiasSilu}; },
};

Case make(const Row& row, DataType type, Values values) {
  Case c{.problem = gemm::packed_problem(row.m, row.n, row.k, type), .values = values};
  const auto set = [&](std::int64_t& ld, std::int64_t wanted) {
    if (wanted != kPacked) ld = wanted == kTma ? (row.k + 7) / 8 * 8 : wanted;
  };
  set(c.problem.lda, row.lda);
  set(c.problem.ldb, row.ldb);
  set(c.problem.ldc, row.ldc);
  c.repeat = row.repeat;
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
  std::ostringstream out;
  out << p.shape() << " " << gemm::name(p.type)
      << (c.values == Values::kIntegers ? " integers" : " random") << " ld " << p.lda << ","
      << p.ldb << "," << p.ldc << " base offsets " << c.a_offset << "," << c.b_offset << ","
      << c.c_offset;
  if (p.c_type != p.type) out << " C " << gemm::name(p.c_type);
  if (p.a_major == Major::kMn) out << " A M-major";
  if (p.b_major == Major::kMn) out << " B N-major";
  if (p.split_k != 1) out << " split " << p.split_k;
  const Epilogue& e = p.epilogue;
  if (e.adds_bias()) out << " epilogue " << static_cast<int>(e.kind);
  if (e.kind == EpilogueKind::kAlphaBeta) out << " alpha " << e.alpha << " beta " << e.beta;
  return out.str();
}

std::map<std::string, std::vector<Case>> all_cases() {
  std::map<std::string, std::vector<Case>> out;
  for (const DataType type : {DataType::kBf16, DataType::kFp16}) {
    for (const Row& row : kRows) {
      std::vector<Case>& list = out[row.about];
      if (row.values != Row::kUniform) list.push_back(make(row, type, Values::kIntegers));
      if (row.values != Row::kIntegers) list.push_back(make(row, type, Values::kUniform));
    }
    for (const auto& [a, b, c] : kOffsets) {
      out["misaligned"].push_back(make({"", 72, 136, 40}, type, Values::kIntegers));
      Case& last = out["misaligned"].back();
      std::tie(last.a_offset, last.b_offset, last.c_offset) = std::tie(a, b, c);
    }
    for (const Values values : {Values::kIntegers, Values::kUniform}) {
      for (const auto option : kOptions) {
        out["options"].push_back(make({"", 104, 136, 72, 144, 144, 144}, type, values));
        option(out["options"].back().problem);
      }
    }
  }
  return out;
}

std::vector<Case> revealing_cases() {
  const Row rows[] = {
      {"", 128, 128, 64},
      {"", 129, 65, 33, kTma, kTma},
      {"", 200, 264, 72, 80, 72, 267},
      {"", 64, 72, 1032, 0, 0, 0, Row::kUniform},
      {"", 5, 7, 0},
      {"", 3, 5, 7, kTma, kTma},
      {"", 130, 70, 40, 48, 40, 80},  // wide stores of C fit, but not its width
      {"", 384, 320, 136},
      {"", 72, 131, 40, 40, 40, 136},    // an odd N, but stores in pairs
      {"", 104, 136, 72, 80, 144, 136},  // this and all further ones: refused, or right
      {"", 72, 136, 1032, 0, 0, 0, Row::kIntegers, true},
      {"", 72, 136, 72},
      {"", 72, 136, 72},
      {"", 72, 136, 0},
  };
  std::vector<Case> out;
  for (const Row& row : rows) {
    const Values values = row.values == Row::kUniform ? Values::kUniform : Values::kIntegers;
    out.push_back(make(row, DataType::kBf16, values));
  }
  out[9].problem.b_major = Major::kMn;
  out[10].problem.split_k = 4;
  out[11].problem.epilogue = kMinusC;
  out[12].problem.epilogue = out[13].problem.epilogue = {EpilogueKind::kBiasRelu};
  return out;
}

}  // namespace test
