#include <harness/job.hpp>

#include <harness/device.hpp>

#include <core/error.hpp>

#include <gemm/inputs.hpp>

#include <algorithm>
#include <utility>

namespace harness {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <class Named>
std::string names_of(const std::vector<Named>& list) {
  std::string names;
  for (const Named& item : list) names += (names.empty() ? "" : ", ") + item.name;
  return names;
}

std::vector<const Chapter*> choose_chapters(const Options& o,
                                            const std::vector<Chapter>& available) {
  if (available.empty()) throw core::Refused("this program holds no chapter");
  for (const std::string& wanted : o.chapters) {
    const bool known = std::any_of(available.begin(), available.end(),
                                   [&](const Chapter& c) { return c.name == wanted; });
    if (!known) {
      throw core::Refused("--chapter " + wanted + ": this program holds " + names_of(available));
    }
  }
  std::vector<const Chapter*> chosen;
  for (const Chapter& chapter : available) {
    if (o.chapters.empty() || contains(o.chapters, chapter.name)) chosen.push_back(&chapter);
  }
  return chosen;
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

std::vector<Kernel> kernels_of(const Chapter& chapter, const Options& o) {
  std::vector<Kernel> out;
  const auto add = [&](const Variant& v) {
    out.push_back(
        {.chapter = &chapter, .variant = &v, .is_default = &v == &chapter.variants.front()});
  };
  if (chapter.variants.empty()) throw core::Refused(chapter.name + ": has no variants");
  const bool all = contains(o.variants, "all");
  for (const Variant& v : chapter.variants) {
    const bool is_first = &v == &chapter.variants.front();
    if (all || (o.variants.empty() ? is_first : contains(o.variants, v.name))) add(v);
  }
  if (o.tune) {
    for (const Variant& v : chapter.tunings) add(v);
  }
  if (o.ablation) {
    for (const Variant& v : chapter.ablations) add(v);
  }
  return out;
}

}  // namespace

Job plan_job(const Options& options, const std::vector<Chapter>& available,
             const std::vector<Demonstration>& shown) {
  Job job;
  job.options = options;
  job.ladder = available.size() > 1;
  job.leaves_out = options.leave_out || (job.ladder && options.chapters.empty());
  const auto chosen = choose_chapters(options, available);
  for (const std::string& wanted : options.variants) {
    const auto has = [&](const Chapter* c) {
      return std::any_of(c->variants.begin(), c->variants.end(),
                         [&](const Variant& v) { return v.name == wanted; });
    };
    if (wanted == "all" || std::any_of(chosen.begin(), chosen.end(), has)) continue;
    std::string choice = ": no chapter has it; see --list";
    if (chosen.size() == 1) {
      choice = ": choose from " + names_of(chosen.front()->variants);
      for (const Demonstration& d : shown) {
        if (d.chapter == chosen.front()->name) choice += ", " + d.name;
      }
    }
    throw core::Refused("--variant " + wanted + choice);
  }
  std::optional<std::string> unable;
  for (const Chapter* chapter : chosen) {
    if (const auto reason = why_unable(*chapter, options)) {
      unable = reason;
      continue;
    }
    const auto kernels = kernels_of(*chapter, options);
    if (kernels.empty()) continue;
    job.chapters.push_back(chapter);
    job.kernels.insert(job.kernels.end(), kernels.begin(), kernels.end());
  }
  if (job.kernels.empty()) throw core::Refused(unable.value_or("nothing to do"));
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

void meet_device(Job& job, std::optional<int> capability) {
  for (Kernel& kernel : job.kernels) {
    kernel.unsupported = why_unsupported(*kernel.chapter, capability);
    if (kernel.unsupported && !job.leaves_out) {
      throw core::Refused(*kernel.unsupported + kElsewhere);
    }
  }
}

Plan prepare(const Kernel& kernel, const gemm::Problem& problem) {
  return prepare(*kernel.chapter, *kernel.variant, problem);
}

Row row_of(const Kernel& kernel, const gemm::Problem& problem, const std::string& mode) {
  Row row;
  row.chapter = kernel.chapter->name;
  row.variant = kernel.is_default ? kDefaultVariant : kernel.variant->name;
  row.shape = shape_of(problem);
  row.dtype = problem.type;
  row.mode = mode;
  return row;
}

std::string without_name(const Chapter& chapter, const std::string& complaint) {
  const std::string prefix = chapter.name + ": ";
  return complaint.starts_with(prefix) ? complaint.substr(prefix.size()) : complaint;
}

std::string listing(const std::vector<Chapter>& available,
                    const std::vector<Demonstration>& shown) {
  std::string text;
  for (const Chapter& chapter : available) {
    text += chapter.name + ": " + chapter.title + ". " + chapter.idea + "\n";
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Variant& v : chapter.variants) {
      const bool is_first = &v == &chapter.variants.front();
      lines.emplace_back(v.name, v.summary + (is_first ? " (default)" : ""));
    }
    for (const Demonstration& d : shown) {
      if (d.chapter == chapter.name) lines.emplace_back(d.name, d.summary + " (shown, not timed)");
    }
    std::size_t widest = 0;
    for (const auto& [name, summary] : lines) widest = std::max(widest, name.size());
    for (const auto& [name, summary] : lines) {
      text += "  " + name + std::string(widest - name.size() + 2, ' ') + summary + "\n";
    }
  }
  return text;
}

}  // namespace harness
