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

}  // namespace

std::optional<std::string> why_undeclared(const Chapter& chapter, const gemm::Problem& p) {
  constexpr const char* kEpilogues[] = {"identity", "alpha_beta", "bias_relu"};
  const std::string epilogue = kEpilogues[static_cast<int>(p.epilogue.kind)];
  // In BLAS' words, which name operands as column-major eyes see them.
  const std::string layout = {p.a_major == gemm::Major::kK ? 't' : 'n',
                              p.b_major == gemm::Major::kK ? 'n' : 't'};
  const std::string c_type(gemm::name(p.c_type)), type(gemm::name(p.type));
  const bool fp32_c = chapter.fp32_c && p.c_type == gemm::DataType::kFp32;
  const auto lacks = [](const auto& list, const auto& value) {
    return std::ranges::count(list, value) == 0;
  };
  const struct {
    bool lacking;
    std::string what;
    const char* where;
  } rules[] = {
      {lacks(chapter.layouts, layout), "layout " + layout,
       "every_shape takes all four, 04_mma_ldmatrix/n_major tt, 06_wgmma_tma/lab shows why"},
      {lacks(chapter.epilogues, epilogue), "epilogue " + epilogue,
       "every_shape and 05_swizzle_pipeline/epilogue have it"},
      {c_type != type && !fp32_c, c_type + " C for " + type + " operands",
       "every_shape takes an fp32 C"},
      {p.split_k != 1 && !chapter.splits_k, "split of K (split " + std::to_string(p.split_k) + ")",
       "05_swizzle_pipeline/split_k takes --split, every_shape splits by itself"},
  };
  for (const auto& rule : rules) {
    if (rule.lacking) return chapter.name + ": has no " + rule.what + "; " + rule.where;
  }
  return std::nullopt;
}

Plan prepare(const Chapter& chapter, const Variant& variant, const gemm::Problem& problem) {
  gemm::validate(problem, chapter.name);
  if (const auto reason = why_undeclared(chapter, problem)) throw core::Refused(*reason);
  if (chapter.tma_operands) gemm::require_tma(problem, chapter.name);
  return variant.prepare(problem);
}

const std::vector<Chapter>& chapters() {
  return registered<Chapter>();
}

const std::vector<Demonstration>& demonstrations() {
  return registered<Demonstration>();
}

Registration::Registration(Chapter chapter) {
  registered<Chapter>().push_back(std::move(chapter));
  std::ranges::sort(registered<Chapter>(), {}, &Chapter::name);
}

Registration::Registration(Demonstration demonstration) {
  registered<Demonstration>().push_back(std::move(demonstration));
  std::ranges::sort(registered<Demonstration>(), {},
                    [](const Demonstration& d) { return std::pair(d.chapter, d.name); });
}

}  // namespace harness
