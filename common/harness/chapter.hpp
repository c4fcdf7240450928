#pragma once
// The one small struct through which the harness knows a chapter.

#include <gemm/problem.hpp>

#include <gpu/host.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

// What prepare() returned: everything that depends only on shapes and pointers. run() launches
// asynchronously on the stream, may be called any number of times, and can be captured in a graph.
// Made of what has such a run(), or of a function of the stream.
class Plan {
 public:
  template <class P>
  Plan(P plan)
      : plan_(new P(std::move(plan))), run_([](const void* held, gpu::Stream stream) {
          const P& plan = *static_cast<const P*>(held);
          if constexpr (requires { plan.run(stream); }) {
            plan.run(stream);
          } else {
            plan(stream);
          }
        }) {}

  void run(gpu::Stream stream) const { run_(plan_.get(), stream); }

 private:
  std::shared_ptr<const void> plan_;
  void (*run_)(const void* plan, gpu::Stream stream);  // std::function takes long to compile
};

// Makes a plan of a problem that the chapter declares. Throws core::Refused where it cannot.
using Prepare = Plan (*)(const gemm::Problem&);

struct Variant {
  std::string name;     // snake_case, as on the command line
  std::string summary;  // one line for --list
  Prepare prepare;
};

// Which measured ceiling a chapter is held against, and its name in result files.
enum class Ceiling { kFfma, kMmaSync, kWgmma };
inline constexpr const char* kCeilingNames[] = {"ffma", "mma_sync", "wgmma"};

struct Chapter {
  std::string name;   // the folder's name
  std::string title;  // "Warp tiling"
  std::string idea;   // one line for tables
  Ceiling ceiling = Ceiling::kFfma;
  int min_compute_capability = 80;     // 80 is 8.0, 90 is 9.0
  std::vector<Variant> variants = {};  // the first is the default

  // What a chapter can do beyond the plain problem. Whatever is not declared here is refused on the
  // command line in one line, before anything is launched.
  std::vector<std::string> layouts = {"tn"};          // for --layout: tn, nn, nt, tt
  std::vector<std::string> epilogues = {"identity"};  // those of job.cpp
  bool fp32_c = false;                                // for --c-dtype fp32
  bool splits_k = false;                              // for --split
  bool tma_operands = false;            // A and B travel by TMA: 16-byte addresses and strides
  std::vector<Variant> tunings = {};    // --tune measures these beside the default
  std::vector<Variant> ablations = {};  // --ablation: the default, one trick off in each
};

// What the chapter does not declare of a problem, in one line that says where there is more;
// nothing where it declares it all.
std::optional<std::string> why_undeclared(const Chapter& chapter, const gemm::Problem& problem);

// The plan of a problem, at the edge: validates it, refuses what the chapter does not declare and
// what the hardware forbids (core::Refused, one line). What chapters register gets problems that
// have passed here.
Plan prepare(const Chapter& chapter, const Variant& variant, const gemm::Problem& problem);

// Something a chapter shows instead of computing a problem: `--variant NAME`, alone. Never part of
// `--variant all`, never timed or counted. It may stand in a file of its own beside chapter.cu.
struct Demonstration {
  std::string chapter;               // the folder's name
  std::string name;                  // snake_case, as on the command line
  std::string summary;               // one line for --list
  int (*run)();                      // prints; returns an exit status
  std::string (*trace)() = nullptr;  // without run(): makes a Chrome trace, which --trace takes
};

// All that is linked into this program; run() puts it into the order of names. Function-local
// lists: registrations run before main in an order that the linker chooses.
inline std::vector<Chapter>& chapters() {
  static std::vector<Chapter> list;
  return list;
}
inline std::vector<Demonstration>& demonstrations() {
  static std::vector<Demonstration> list;
  return list;
}

// Both register themselves before main: `static const harness::Registration r{Chapter{...}};`
struct Registration {
  explicit Registration(Chapter chapter) { chapters().push_back(std::move(chapter)); }
  explicit Registration(Demonstration shown) { demonstrations().push_back(std::move(shown)); }
};

}  // namespace harness
