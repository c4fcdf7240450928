#include <harness/job.hpp>

#include <core/error.hpp>

#include <gemm/inputs.hpp>

#include <algorithm>

namespace harness {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
  std::vector<std::string> names;
  for (const Named& item : list) names.push_back(item.name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void refuse_unknown_variants(const Options& o, const std::vector<const Chapter*>& chosen,
                             const std::vector<Demonstration>& shown) {
  std::vector<std::string> known = {"all"};
  for (const Chapter* chapter : chosen) {
    for (const Variant& v : chapter->variants) known.push_back(v.name);
  }
  for (const std::string& wanted : o.variants) {
    if (contains(known, wanted)) continue;
    if (chosen.size() != 1) {
      throw core::Refused("--variant " + wanted + ": no chapter has it; see --list");
    }
    std::vector<std::string> choice = names_of(chosen.front()->variants);
    for (const Demonstration& d : shown) {
      if (d.chapter == chosen.front()->name) choice.push_back(d.name);
    }
    throw core::Refused("--variant " + wanted + ": choose from " + joined(choice));
  }
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

}  // namespace

Job plan_job(const Options& o, const std::vector<Chapter>& available,
             const std::vector<Demonstration>& shown) {
  for (const std::string& wanted : o.chapters) {
    const auto names = names_of(available);
    if (contains(names, wanted)) continue;
    throw core::Refused("--chapter " + wanted + ": this program holds " + joined(names));
  }
  std::vector<const Chapter*> chosen;
  for (const Chapter& chapter : available) {
    if (o.chapters.empty() || contains(o.chapters, chapter.name)) chosen.push_back(&chapter);
  }
  refuse_unknown_variants(o, chosen, shown);
  Job job{.options = o, .ladder = available.size() > 1};
  job.leaves_out = o.leave_out || (job.ladder && o.chapters.empty());
  std::string unable = "nothing to do";
  for (const Chapter* chapter : chosen) {
    if (const auto reason = why_unable(*chapter, o)) {
      unable = *reason;
      continue;
    }
    const std::size_t before = job.kernels.size();
    const auto add = [&](const std::vector<Variant>& list, const auto& wanted) {
      for (const Variant& v : list) {
        const bool is_default = &v == &chapter->variants.front();
        if (wanted(v, is_default)) job.kernels.push_back({chapter, &v, is_default});
      }
    };
    add(chapter->variants, [&](const Variant& v, bool is_default) {
      return o.variants.empty() ? is_default
                                : contains(o.variants, "all") || contains(o.variants, v.name);
    });
    add(chapter->tunings, [&](const Variant&, bool) { return o.tune; });
    add(chapter->ablations, [&](const Variant&, bool) { return o.ablation; });
    if (job.kernels.size() > before) job.chapters.push_back(chapter);
  }
  if (job.kernels.empty()) throw core::Refused(unable);
  return job;
}

const Demonstration* asked_for(const Options& o, const std::vector<Demonstration>& shown) {
  const auto wanted = [&](const Demonstration& d) {
    return contains(o.variants, d.name) && (o.chapters.empty() || contains(o.chapters, d.chapter));
  };
  const auto found = std::find_if(shown.begin(), shown.end(), wanted);
  if (found == shown.end()) return nullptr;
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
  gemm::Problem p = gemm::packed_problem(shape.m, shape.n, shape.k, o.dtype);
  // BLAS names the operands as its column-major eyes see them: t for an A whose rows are
  // contiguous, n for one whose columns are; for B it is the other way round.
  p.a_major = o.layout[0] == 't' ? gemm::Major::kK : gemm::Major::kMn;
  p.b_major = o.layout[1] == 'n' ? gemm::Major::kK : gemm::Major::kMn;
  p.lda = p.a_major == gemm::Major::kK ? shape.k : shape.m;
  p.ldb = p.b_major == gemm::Major::kK ? shape.k : shape.n;
  if (o.fp32_c) p.c_type = gemm::DataType::kFp32;
  p.split_k = o.split;
  if (o.epilogue == "alpha_beta") {
    p.epilogue.kind = gemm::EpilogueKind::kAlphaBeta;
    p.epilogue.alpha = 2.0f;  // small integers: integer operands still give exact results
    p.epilogue.beta = -1.0f;
  }
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

Plan prepare(const Kernel& kernel, const gemm::Problem& problem) {
  if (kernel.unsupported) throw core::Refused(*kernel.unsupported);
  return prepare(*kernel.chapter, *kernel.variant, problem);
}

Row row_of(const Kernel& kernel, const gemm::Problem& problem, const std::string& mode) {
  return {.chapter = kernel.chapter->name,
          .variant = kernel.is_default ? kDefaultVariant : kernel.variant->name,
          .shape = shape_of(problem),
          .dtype = problem.type,
          .mode = mode};
}

std::string without_name(const Kernel& kernel, const core::Refused& refusal) {
  const std::string text = refusal.what(), prefix = kernel.chapter->name + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string listing(const std::vector<Chapter>& available,
                    const std::vector<Demonstration>& shown) {
  std::string text;
  for (const Chapter& chapter : available) {
    text += chapter.name + ": " + chapter.title + ". " + chapter.idea + "\n";
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Variant& v : chapter.variants) lines.emplace_back(v.name, v.summary);
    lines.front().second += " (default)";
    for (const Demonstration& d : shown) {
      if (d.chapter == chapter.name) lines.emplace_back(d.name, d.summary + " (shown, not timed)");
    }
    std::size_t widest = 0;
    for (const auto& line : lines) widest = std::max(widest, line.first.size());
    for (auto& [name, summary] : lines) {
      name.resize(widest, ' ');
      text += "  " + name + "  " + summary + "\n";
    }
  }
  return text;
}

}  // namespace harness
