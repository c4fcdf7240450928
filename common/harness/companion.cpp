#include <harness/companion.hpp>

#include <harness/chapter.hpp>
#include <harness/relaunch.hpp>
#include <harness/results.hpp>

#include <core/error.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace harness {
namespace {

// The arguments without these flags and their values.
std::vector<std::string> without(const std::vector<std::string>& arguments,
                                 const std::vector<std::string_view>& flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view whole = arguments[i], flag = whole.substr(0, whole.find('='));
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
      kept.push_back(arguments[i]);
    } else if (flag == whole) {
      ++i;  // its value is a word of its own
    }
  }
  return kept;
}

// Starts a program and waits for it.
int run_to_end(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child) {
    throw core::Refused("cannot start " + program);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(core::kDeviceError);
}

}  // namespace

int worse(int one, int other) {
  const auto weight = [](int status) {
    return status == core::kRefused ? 1 : status == core::kWrongResult ? 2 : 2 * status;
  };
  return weight(one) < weight(other) ? other : one;
}

Beside::Beside(Options& options, const std::vector<std::string>& arguments)
    : shapes_given_(!options.shapes.empty()) {
  if (companion() == nullptr) return;
  const std::string& name = companion()->name;
  called_ = std::erase(options.chapters, name) > 0;
  const bool by_default = options.variants.empty() || options.variants.front() == "all";
  const bool others_called = !options.chapters.empty();
  if (!called_ && (others_called || !by_default)) return;
  name_ = name;
  arguments_ = without(arguments, {"--chapter"});
  if (called_ && !others_called && !options.list) {
    become(companion_path(name_, "--chapter " + name_), arguments_);
  }
  if (called_) return;
  arguments_ = without(arguments_, {"--variant"});
  if (!options.list) arguments_.push_back("--leave-out");
}

void Beside::run_instead() const {
  if (name_.empty() || called_) return;
  try {
    become(companion_path(name_, name_), arguments_);
  } catch (const core::Refused&) {
  }
}

int Beside::run(const std::vector<Shape>& shapes, std::string* results) const {
  if (name_.empty()) return core::kRight;
  std::string program;
  try {
    program = companion_path(name_, name_);
  } catch (const core::Refused& reason) {
    if (called_) throw;
    std::fprintf(stderr, "%s; left out\n", reason.what());
    return core::kRight;
  }
  std::vector<std::string> arguments = without(arguments_, {"--json"});
  if (!shapes.empty()) std::puts("");
  for (const Shape& shape : shapes) {
    if (shapes_given_) break;
    const auto extent = [](std::int64_t size) { return std::to_string(size); };
    arguments.push_back("--shape=" + extent(shape.m) + "x" + extent(shape.n) + "x" +
                        extent(shape.k));
  }
  if (results == nullptr) return run_to_end(program, arguments);

  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / (name_ + "_" + std::to_string(getpid()) + ".json");
  arguments.push_back("--json=" + file.string());
  const int status = run_to_end(program, arguments);
  if (std::ifstream text(file); text) {
    *results = with_rows_of(*results, {std::istreambuf_iterator<char>(text), {}});
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return status;
}

}  // namespace harness
