// The program that a planted bug is built into: tries the chapters linked into it on the problems
// that a bug cannot hide from, and stops at the first that goes wrong.
//   exit status 0: all came out right; 1: a wrong C or a wrong refusal; 3: an error that has a
//   name.

#include <test/backend.hpp>
#include <test/cases.hpp>
#include <test/trial.hpp>

#include <core/error.hpp>

#include <cstdio>
#include <string>

int main() {
  int tried = 0;
  for (const harness::Chapter& chapter : harness::chapters()) {
    for (const harness::Variant& variant : chapter.variants) {
      for (const std::string& policy : test::policies(chapter)) {
        test::set_policy(policy);
        for (const test::Case& c : test::revealing_cases()) {
          ++tried;
          std::vector<std::string> complaints;
          int status = core::kWrongResult;
          try {
            complaints = test::try_case(chapter, variant, c);
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
    std::printf("no chapter is linked into this program\n");
    return core::kRefused;
  }
  std::printf("all %d trials came out right\n", tried);
  return core::kRight;
}
