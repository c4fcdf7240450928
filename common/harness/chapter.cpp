#include <harness/chapter.hpp>

#include <core/error.hpp>
#include <gemm/operands.hpp>

#include <algorithm>
#include <utility>

namespace harness {
namespace {

// A function-local static: registrations run before main in an order that the linker chooses, so
// the list must exist from the first of them on.
template <class T>
std::vector<T>& registered() {
  static std::vector<T> list;
  return list;
}

template <class T, class Key>
void insert(T added, Key key) {
  auto& list = registered<T>();
  const auto place =
      std::upper_bound(list.begin(), list.end(), added,
                       [&](const T& left, const T& right) { return key(left) < key(right); });
  list.insert(place, std::move(added));
}

// The problem's layout in BLAS' words, which name operands as column-major eyes see them.
std::string layout_of(const gemm::Problem& p) {
  return {p.a_major == gemm::Major::kK ? 't' : 'n', p.b_major == gemm::Major::kK ? 'n' : 't'};
}

std::string_view name_of(gemm::EpilogueKind kind) {
  if (kind == gemm::EpilogueKind::kAlphaBeta) return "alpha_beta";
  return kind == gemm::EpilogueKind::kBiasRelu ? "bias_relu" : "identity";
}

// Throws core::Refused for what the chapter does not declare, with the place that has it.
void require_declared(const Chapter& chapter, const gemm::Problem& p) {
  const auto require = [&](bool declared, const std::string& what, const char* where) {
    if (!declared) throw core::Refused(chapter.name + ": has no " + what + "; " + where);
  };
  const auto has = [](const std::vector<std::string>& list, std::string_view value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  require(has(chapter.layouts, layout_of(p)), "layout " + layout_of(p),
          "every_shape takes all four, 04_mma_ldmatrix/n_major tt, 06_wgmma_tma/lab shows why");
  require(has(chapter.epilogues, name_of(p.epilogue.kind)),
          "epilogue " + std::string(name_of(p.epilogue.kind)),
          "every_shape and 05_swizzle_pipeline/epilogue have it");
  require(p.c_type == p.type || (chapter.fp32_c && p.c_type == gemm::DataType::kFp32),
          std::string(gemm::name(p.c_type)) + " C for " + std::string(gemm::name(p.type)) +
              " operands",
          "every_shape takes an fp32 C");
  require(p.split_k == 1 || chapter.splits_k, "split of K (split " + std::to_string(p.split_k) + ")",
          "05_swizzle_pipeline/split_k takes --split, every_shape splits by itself");
}

}  // namespace

Plan prepare(const Chapter& chapter, const Variant& variant, const gemm::Problem& problem) {
  gemm::validate(problem, chapter.name);
  require_declared(chapter, problem);
  if (chapter.tma_operands) gemm::require_tma(problem, chapter.name);
  return variant.prepare(problem);
}

std::string_view name(Ceiling ceiling) {
  switch (ceiling) {
    case Ceiling::kFfma:
      return "ffma";
    case Ceiling::kMmaSync:
      return "mma_sync";
    case Ceiling::kWgmma:
      return "wgmma";
  }
  return "";
}

const std::vector<Chapter>& chapters() {
  return registered<Chapter>();
}

const std::vector<Demonstration>& demonstrations() {
  return registered<Demonstration>();
}

Registration::Registration(Chapter chapter) {
  insert(std::move(chapter), [](const Chapter& c) { return c.name; });
}

Registration::Registration(Demonstration demonstration) {
  insert(std::move(demonstration),
         [](const Demonstration& d) { return std::pair(d.chapter, d.name); });
}

}  // namespace harness
