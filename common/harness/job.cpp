#include <harness/job.hpp>

#include <algorithm>

namespace harness {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::count(list, value) > 0;
}

// One line when the chapter lacks something that was asked for.
std::optional<std::string> why_unable(const Chapter& chapter, const Options& o) {
  if (const auto reason = why_undeclared(chapter, problem_of(o, {1, 1, 1}))) return reason;
  if (o.tune && chapter.tunings.empty()) {
    return chapter.name + ": --tune: has one configuration, nothing to tune";
  }
  if (o.ablation && chapter.ablations.empty()) {
    return chapter.name + ": --ablation: has no tricks that can be switched off";
  }
  return std::nullopt;
}

// "one, two"; for what a name may be.
template <class Named>
std::string names_of(const std::vector<Named>& list) {
  std::string text;
  for (const Named& item : list) text += (text.empty() ? "" : ", ") + item.name;
  return text;
}

}  // namespace

Plan Kernel::prepare(const gemm::Problem& problem) const {
  if (unsupported) throw core::Refused(*unsupported);
  return harness::prepare(*chapter, *variant, problem);
}

Row Kernel::row(const gemm::Problem& problem, const std::string& mode) const {
  return {.chapter = chapter->name,
          .variant = is_default() ? kDefaultVariant : variant->name,
          .shape = shape_of(problem),
          .dtype = std::string(gemm::name(problem.type)),
          .mode = mode};
}

std::string Job::left_out(const Kernel& kernel, const core::Refused& reason) const {
  if (!leaves_out) throw reason;
  const std::string text = reason.what(), prefix = kernel.chapter->name + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

Job plan_job(const Options& o) {
  for (const std::string& wanted : o.chapters) {
    if (std::ranges::count(chapters(), wanted, &Chapter::name) > 0) continue;
    throw core::Refused("--chapter " + wanted + ": this program holds " + names_of(chapters()));
  }
  Job job{.options = o, .ladder = chapters().size() > 1};
  job.leaves_out = o.leave_out || (job.ladder && o.chapters.empty());
  const bool all = contains(o.variants, "all");
  std::vector<std::string> unknown = o.variants;
  std::erase(unknown, "all");
  std::vector<const Chapter*> chosen;
  std::string unable = "nothing to do";
  for (const Chapter& chapter : chapters()) {
    if (!o.chapters.empty() && !contains(o.chapters, chapter.name)) continue;
    chosen.push_back(&chapter);
    for (const Variant& v : chapter.variants) std::erase(unknown, v.name);
    if (const auto reason = why_unable(chapter, o)) {
      unable = *reason;
      continue;
    }
    const std::size_t before = job.kernels.size();
    for (const Variant& v : chapter.variants) {
      const bool is_default = &v == &chapter.variants.front();
      const bool wanted = o.variants.empty() ? is_default : all || contains(o.variants, v.name);
      if (wanted) job.kernels.push_back({&chapter, &v});
    }
    for (const Variant& v : chapter.tunings) {
      if (o.tune) job.kernels.push_back({&chapter, &v});
    }
    for (const Variant& v : chapter.ablations) {
      if (o.ablation) job.kernels.push_back({&chapter, &v});
    }
    if (job.kernels.size() > before) job.chapters.push_back(&chapter);
  }
  if (!unknown.empty()) {
    std::string why = "no chapter has it; see --list";
    if (chosen.size() == 1) {
      why = "choose from " + names_of(chosen.front()->variants);
      for (const Demonstration& d : demonstrations()) {
        if (d.chapter == chosen.front()->name) why += ", " + d.name;
      }
    }
    throw core::Refused("--variant " + unknown.front() + ": " + why);
  }
  if (job.kernels.empty()) throw core::Refused(unable);
  return job;
}

const Demonstration* asked_for(const Options& o) {
  const auto found = std::ranges::find_if(demonstrations(), [&](const Demonstration& d) {
    return contains(o.variants, d.name) && (o.chapters.empty() || contains(o.chapters, d.chapter));
  });
  if (found == demonstrations().end()) return nullptr;
  const auto refuse = [&](const std::string& option) {
    throw core::Refused("--variant " + found->name + ": shows something, and takes no " + option);
  };
  if (o.variants.size() > 1) refuse("another --variant");
  for (const std::string& option : o.given) {
    if (!contains({"--variant", "--chapter", "--backend", "--async"}, option)) refuse(option);
  }
  return &*found;
}

gemm::Problem problem_of(const Options& o, const Shape& shape) {
  const auto type = o.dtype == "fp16" ? gemm::DataType::kFp16 : gemm::DataType::kBf16;
  gemm::Problem p = gemm::packed_problem(shape.m, shape.n, shape.k, type);
  // BLAS names the operands as its column-major eyes see them: t for an A whose rows are
  // contiguous, n for one whose columns are; for B it is the other way round.
  p.a_major = o.layout[0] == 't' ? gemm::Major::kK : gemm::Major::kMn;
  p.b_major = o.layout[1] == 'n' ? gemm::Major::kK : gemm::Major::kMn;
  p.lda = p.a_major == gemm::Major::kK ? shape.k : shape.m;
  p.ldb = p.b_major == gemm::Major::kK ? shape.k : shape.n;
  if (!o.c_dtype.empty()) p.c_type = gemm::DataType::kFp32;
  p.split_k = o.split;
  // Small integers: integer operands still give exact results.
  if (o.epilogue == "alpha_beta") p.epilogue = {gemm::EpilogueKind::kAlphaBeta, 2.0f, -1.0f};
  if (o.epilogue == "bias_relu") p.epilogue.kind = gemm::EpilogueKind::kBiasRelu;
  return p;
}

std::optional<std::string> why_unsupported(const Chapter& chapter, std::optional<int> capability) {
  const int needed = chapter.min_compute_capability;
  const bool only_there = chapter.ceiling == Ceiling::kWgmma;  // no later GPU has wgmma
  if (!capability || *capability == needed) return std::nullopt;
  if (*capability > needed && !only_there) return std::nullopt;
  return chapter.name + ": needs compute capability " + capability_text(needed) +
         (*capability > needed ? ", the only one with wgmma" : "") + "; this GPU has " +
         capability_text(*capability);
}

}  // namespace harness
