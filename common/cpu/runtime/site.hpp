#pragma once
// A place in the source text, for reports. As a defaulted last parameter it is the caller's place.
// (std::source_location is missing under clang 14 with libstdc++.)

#include <cstring>
#include <string>

namespace runtime {

struct Thread;

struct Site {
  const char* file = "";
  unsigned line = 0;

  static constexpr Site current(const char* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) {
    return {file, line};
  }

  friend bool operator==(Site a, Site b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
  }
};

// "01_naive/kernel.cuh:57": the last two parts of the path are enough to tell chapters apart.
inline std::string text(Site site) {
  const std::string file = site.file;
  std::size_t cut = file.rfind('/');
  if (cut != std::string::npos && cut > 0) cut = file.rfind('/', cut - 1);
  return (cut == std::string::npos ? file : file.substr(cut + 1)) + ":" + std::to_string(site.line);
}

// Whatever holds threads back (a barrier, a warp's meeting, an mbarrier) is a Waitable: a thread
// waits on it through Gang::wait and goes on when somebody calls Gang::wake. When nobody can move,
// each Waitable says what it is missing.
class Waitable {
 public:
  // What the waiter waits for and what is missing: "in __syncthreads, 64 of 128 arrived".
  virtual std::string describe(const Thread& waiter) const = 0;
  // Asked when nobody can move: why this will not come, if its own state shows it.
  virtual std::string likely_cause(const Thread&) const { return ""; }

 protected:
  ~Waitable() = default;

 private:
  friend class Gang;
  Thread* first_ = nullptr;  // waiters in the order of their arrival
  Thread* last_ = nullptr;
};

struct Wait {
  const Waitable* on = nullptr;
  Site where;
};

}  // namespace runtime
