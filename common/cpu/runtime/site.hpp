#pragma once
// A place in the source text, for reports. As a defaulted last parameter it is the caller's place.
// (std::source_location is missing under clang 14 with libstdc++.)

#include <cstring>
#include <string>

namespace runtime {

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

}  // namespace runtime
