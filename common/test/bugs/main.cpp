// NN_name_bugs NAME: tries the copy with the planted bug NAME on the problems that a bug cannot
// hide from, and stops at the first that goes wrong.
//   exit status 0: all came out right; 1: a wrong C or a wrong refusal; 3: an error that has a
//   name; 2: nothing was tried.

#include <test/backend.hpp>
#include <test/trial.hpp>

#include <core/error.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

// A function-local static: copies register before main, in an order that the linker chooses.
std::multimap<std::string, harness::Chapter>& registered() {
  static std::multimap<std::string, harness::Chapter> all;
  return all;
}

}  // namespace

// Of wrapper.cpp.in: what a copy's bugs.cu declares, under the bug's name; several may share one.
bool add_bug(const std::string& name, const harness::Chapter& chapter) {
  registered().emplace(name, chapter);
  return true;
}

int main(int argc, char** argv) {
  const std::string bug = argc == 2 ? argv[1] : "";
  int tried = 0;
  const auto [begin, end] = registered().equal_range(bug);
  for (auto at = begin; at != end; ++at) {
    const harness::Chapter& chapter = at->second;
    for (const harness::Variant& variant : chapter.variants) {
      for (const std::string& policy : test::policies(chapter)) {
        test::set_policy(policy);
        for (const test::Case& c : test::revealing_cases()) {
          ++tried;
          std::vector<std::string> complaints;
          int status = core::kWrongResult;
          try {
            test::Trial trial(c);
            complaints = test::try_case(chapter, variant, c, trial);
          } catch (const core::DeviceError& error) {
            complaints = {error.what()};
            status = core::kDeviceError;
          }
          if (complaints.empty()) continue;
          std::printf("%s, variant %s, %s, %s\n", chapter.name.c_str(), variant.name.c_str(),
                      policy.c_str(), label(c).c_str());
          for (const std::string& line : complaints) std::printf("%s\n", line.c_str());
          return status;
        }
      }
    }
  }
  if (tried == 0) {
    std::printf("no bug '%s' in this program\n", bug.c_str());
    return core::kRefused;
  }
  std::printf("all %d trials came out right\n", tried);
  return core::kRight;
}
