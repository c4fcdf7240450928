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

}  // namespace

std::optional<std::string> why_undeclared(const Chapter& chapter, const gemm::Problem& p) {
  const auto has = [](const std::vector<std::string>& list, std::string_view value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  const auto lacks = [&](const std::string& what, const char* where) {
    return chapter.name + ": has no " + what + "; " + where;
  };
  if (!has(chapter.layouts, layout_of(p))) {
    return lacks(
        "layout " + layout_of(p),
        "every_shape takes all four, 04_mma_ldmatrix/n_major tt, 06_wgmma_tma/lab shows why");
  }
  const std::string epilogue(name_of(p.epilogue.kind));
  if (!has(chapter.epilogues, epilogue)) {
    return lacks("epilogue " + epilogue, "every_shape and 05_swizzle_pipeline/epilogue have it");
  }
  if (p.c_type != p.type && !(chapter.fp32_c && p.c_type == gemm::DataType::kFp32)) {
    const std::string of_c(gemm::name(p.c_type)), of_operands(gemm::name(p.type));
    return lacks(of_c + " C for " + of_operands + " operands", "every_shape takes an fp32 C");
  }
  if (p.split_k != 1 && !chapter.splits_k) {
    return lacks("split of K (split " + std::to_string(p.split_k) + ")",
                 "05_swizzle_pipeline/split_k takes --split, every_shape splits by itself");
  }
  return std::nullopt;
}

Plan prepare(const Chapter& chapter, const Variant& variant, const gemm::Problem& problem) {
  gemm::validate(problem, chapter.name);
  if (const auto reason = why_undeclared(chapter, problem)) throw core::Refused(*reason);
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
