#include <harness/tuned.hpp>

#include <core/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace harness {
namespace {

constexpr int kSchema = 1;

const Variant* find_tuning(const Chapter& chapter, const std::string& name) {
  for (const Variant& v : chapter.tunings) {
    if (v.name == name) return &v;
  }
  return nullptr;
}

// No fraction, which would become some whole number or other.
std::int64_t extent(const nlohmann::json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  throw core::Refused("a size is " + value.dump() + ", not a whole number");
}

bool is_plain(const gemm::Problem& p) {
  return p.a_major == gemm::Major::kK && p.b_major == gemm::Major::kK && p.c_type == p.type &&
         p.split_k == 1 && p.epilogue.kind == gemm::EpilogueKind::kIdentity;
}

}  // namespace

std::optional<std::string> tuned_path() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const auto path = variable("GEMM_TUNED"); !path.empty()) return path;
  const std::string inside = "gemm-steps/tuned.json";
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/" + inside;
  if (const auto home = variable("HOME"); !home.empty()) return home + "/.cache/" + inside;
  return std::nullopt;
}

Tuned Tuned::read(const std::string& path) {
  Tuned tuned;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return tuned;
  std::ifstream file(path);
  if (!file) throw core::Refused(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    const auto json = nlohmann::json::parse(text.str());
    if (json.at("schema") != kSchema) throw core::Refused("not schema 1");
    for (const auto& entry : json.at("choices")) {
      TunedChoice choice;
      entry.at("device").get_to(choice.device);
      entry.at("chapter").get_to(choice.chapter);
      entry.at("dtype").get_to(choice.dtype);
      choice.shape = {extent(entry.at("m")), extent(entry.at("n")), extent(entry.at("k"))};
      entry.at("variant").get_to(choice.variant);
      entry.at("gflops").get_to(choice.gflops);
      tuned.set(choice);
    }
  } catch (const core::Refused& reason) {
    throw core::Refused(path + ": " + reason.what());
  } catch (const nlohmann::json::exception&) {
    throw core::Refused(path + ": holds no tuned choices; delete it, or run with --untuned");
  }
  return tuned;
}

std::string Tuned::text() const {
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  json["choices"] = nlohmann::ordered_json::array();
  for (const TunedChoice& c : choices_) {
    json["choices"].push_back({{"device", c.device},
                               {"chapter", c.chapter},
                               {"dtype", c.dtype},
                               {"m", c.shape.m},
                               {"n", c.shape.n},
                               {"k", c.shape.k},
                               {"variant", c.variant},
                               {"gflops", c.gflops}});
  }
  return json.dump(1) + "\n";
}

const TunedChoice* Tuned::find(const std::string& device, const std::string& chapter,
                               const std::string& dtype, const Shape& shape) const {
  for (const TunedChoice& c : choices_) {
    if (c.device == device && c.chapter == chapter && c.dtype == dtype && c.shape == shape) {
      return &c;
    }
  }
  return nullptr;
}

void Tuned::set(const TunedChoice& choice) {
  const TunedChoice* const known = find(choice.device, choice.chapter, choice.dtype, choice.shape);
  if (known == nullptr) {
    choices_.push_back(choice);
  } else {
    choices_[static_cast<std::size_t>(known - choices_.data())] = choice;
  }
}

bool use_tuned(Job& job, const Tuned& tuned, const std::string& device) {
  if (!is_plain(problem_of(job.options, {1, 1, 1}))) return false;
  bool any = false;
  for (Kernel& kernel : job.kernels) {
    if (!kernel.is_default) continue;
    for (const TunedChoice& c : tuned.choices()) {
      // A name that the chapter no longer has is as good as none.
      const Variant* const known = find_tuning(*kernel.chapter, c.variant);
      if (known == nullptr || c.device != device || c.chapter != kernel.chapter->name) continue;
      if (c.dtype != gemm::name(job.options.dtype)) continue;
      kernel.tuned.emplace_back(c.shape, known);
      any = true;
    }
  }
  return any;
}

int add_fastest(Tuned& tuned, const Results& results) {
  std::vector<const Row*> fastest;
  for (const Row& row : results.rows) {
    if (row.skipped || row.chapter == kCublas) continue;
    const auto chapter = std::find_if(results.chapters.begin(), results.chapters.end(),
                                      [&](const Chapter* c) { return c->name == row.chapter; });
    if (chapter == results.chapters.end() || !find_tuning(**chapter, row.variant)) continue;
    const auto same = std::find_if(fastest.begin(), fastest.end(), [&](const Row* other) {
      return other->chapter == row.chapter && other->shape == row.shape;
    });
    if (same == fastest.end()) {
      fastest.push_back(&row);
    } else if ((*same)->gflops_median < row.gflops_median) {
      *same = &row;
    }
  }
  for (const Row* row : fastest) {
    tuned.set({results.device.name, row->chapter, std::string(gemm::name(row->dtype)), row->shape,
               row->variant, row->gflops_median});
  }
  return static_cast<int>(fastest.size());
}

}  // namespace harness
