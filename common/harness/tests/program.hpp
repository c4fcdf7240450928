#pragma once
// Whole programs, run as a user runs them.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out, err;

  bool says(const std::string& part) const { return out.find(part) != std::string::npos; }
  bool complains(const std::string& part) const { return err.find(part) != std::string::npos; }
  bool complains_in_one_line() const { return std::count(err.begin(), err.end(), '\n') == 1; }
  // As every bad input must be: status 2, one line on standard error, nothing else.
  bool refused() const { return status == 2 && complains_in_one_line() && out.empty(); }
};

struct Folder {
  fs::path path = fs::temp_directory_path() / ("harness_test_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};
inline const Folder folder;

inline std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Ended run(const std::string& command) {
  const fs::path out = folder.path / "out", err = folder.path / "err";
  const std::string line = command + " >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
}
