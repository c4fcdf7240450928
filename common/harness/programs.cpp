#include <harness/job.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace harness {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Self {
  fs::path path;  // without the suffix
  std::string suffix;
};

Self self() {
  std::error_code error;
  const std::string path = fs::read_symlink("/proc/self/exe", error).string();
  if (error) throw core::Refused("cannot tell where this program lies: no /proc/self/exe");
  for (const std::string suffix : {"_cpu", "_traced"}) {
    if (path.ends_with(suffix)) return {path.substr(0, path.size() - suffix.size()), suffix};
  }
  return {path, ""};
}

bool runs(const std::string& program) {
  return access(program.c_str(), X_OK) == 0;
}

std::vector<char*> argv_of(const std::string& program, const Words& arguments) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  return argv;
}

[[noreturn]] void replace_by(const std::string& program, const Words& arguments) {
  execv(program.c_str(), argv_of(program, arguments).data());
  throw core::Refused("cannot start " + program);
}

int run_to_end(const std::string& program, const Words& arguments) {
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, argv_of(program, arguments).data(),
                  environ) != 0 ||
      waitpid(child, &status, 0) != child) {
    throw core::Refused("cannot start " + program);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(core::kDeviceError);
}

// The arguments without this flag and its values.
Words without(const Words& arguments, const std::string& flag) {
  Words kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == flag) {
      ++i;  // its value is a word of its own
    } else if (!arguments[i].starts_with(flag + "=")) {
      kept.push_back(arguments[i]);
    }
  }
  return kept;
}

}  // namespace

void become(const std::string& suffix, const std::string& why, const Words& arguments,
            const std::string& notice) {
  const auto [base, own_suffix] = self();
  const std::string path = base.string() + suffix;
  if (suffix == own_suffix) throw core::Refused(why + ": not in this build of " + path);
  if (!runs(path)) throw core::Refused(why + ": there is no program " + path);
  std::fputs(notice.c_str(), stderr);
  replace_by(path, arguments);
}

Beside::Beside(const std::string& name, Options& options, Words arguments)
    : shapes_given_(!options.shapes.empty()) {
  const bool called = !name.empty() && std::erase(options.chapters, name) > 0;
  const bool others = !options.chapters.empty();
  const bool by_default = options.variants.empty() || options.variants.front() == "all";
  if (name.empty() || (!called && (others || !by_default))) return;
  const auto [base, suffix] = self();
  const std::string program = (base.parent_path() / name).string() + suffix;
  if (!runs(program)) {
    const std::string missing = name + ": there is no program " + program;
    if (called) throw core::Refused("--chapter " + missing);
    std::fprintf(stderr, "%s; left out\n", missing.c_str());
    return;
  }
  program_ = program;
  arguments_ = without(arguments, "--chapter");
  if (called && !others && !options.list) replace_by(program_, arguments_);
  if (called) return;
  arguments_ = without(arguments_, "--variant");
  if (!options.list) arguments_.push_back("--leave-out");
}

int Beside::run(const std::vector<Shape>& shapes, std::string* results) const {
  if (program_.empty()) return core::kRight;
  Words arguments = without(arguments_, "--json");
  if (!shapes.empty()) print("\n");
  for (const Shape& s : shapes) {
    if (!shapes_given_) arguments.push_back("--shape=" + s.product());
  }
  if (results == nullptr) return run_to_end(program_, arguments);

  const fs::path file = fs::temp_directory_path() / ("beside_" + std::to_string(getpid()));
  arguments.push_back("--json=" + file.string());
  const int status = run_to_end(program_, arguments);
  if (std::ifstream text(file); text) {
    *results = with_rows_of(*results, {std::istreambuf_iterator<char>(text), {}});
  }
  std::error_code ignored;
  fs::remove(file, ignored);
  return status;
}

}  // namespace harness
