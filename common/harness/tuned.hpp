#pragma once
// What --tune found to be fastest on a device, kept in a file that later runs use.

#include <harness/job.hpp>
#include <harness/results.hpp>

#include <optional>
#include <string>
#include <vector>

namespace harness {

// $GEMM_TUNED, or else gemm-steps/tuned.json in $XDG_CACHE_HOME or in ~/.cache; nothing where none
// of the three variables is set.
std::optional<std::string> tuned_path();

// On this device, for a plain problem of this type and shape, this variant of the chapter.
struct TunedChoice {
  std::string device, chapter, dtype;
  Shape shape;
  std::string variant;
  double gflops = 0;
};

class Tuned {
 public:
  // Of a file that is not there: nothing. Throws core::Refused, naming the file, when it cannot be
  // read or is something else.
  static Tuned read(const std::string& path);

  // The file's text.
  std::string text() const;
  void set(const TunedChoice& choice);  // instead of what was known for the same problem
  const TunedChoice* find(const std::string& device, const std::string& chapter,
                          const std::string& dtype, const Shape& shape) const;
  const std::vector<TunedChoice>& choices() const { return choices_; }

 private:
  std::vector<TunedChoice> choices_;
};

// Lets the default variants of chapters that can be tuned take what is known for this device;
// whether there is anything.
bool use_tuned(Job& job, const Tuned& tuned, const std::string& device);

// Adds the fastest of each chapter's tunings at each shape that was measured; how many these are.
int add_fastest(Tuned& tuned, const Results& results);

}  // namespace harness
