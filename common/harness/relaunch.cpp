#include <harness/relaunch.hpp>

#include <core/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace harness {
namespace {

constexpr std::string_view kCpuSuffix = "_cpu";
constexpr std::string_view kTracedSuffix = "_traced";

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length < 0) throw core::Refused("cannot tell where this program lies: no /proc/self/exe");
  return std::string(path, static_cast<std::size_t>(length));
}

std::string require_program(const std::string& path, const std::string& why) {
  if (access(path.c_str(), X_OK) == 0) return path;
  throw core::Refused(why + ": there is no program " + path);
}

}  // namespace

std::string sibling_path(Sibling sibling, const std::string& why) {
  const std::string self = own_path();
  std::string path = self;
  for (const std::string_view suffix : {kCpuSuffix, kTracedSuffix}) {
    if (path.ends_with(suffix)) path.erase(path.size() - suffix.size());
  }
  if (sibling == Sibling::kCpu) path += kCpuSuffix;
  if (sibling == Sibling::kTraced) path += kTracedSuffix;
  if (path == self) throw core::Refused(why + ": not in this build of " + path);
  return require_program(path, why);
}

std::string companion_path(const std::string& name, const std::string& why) {
  const std::string self = own_path();
  std::string path = self.substr(0, self.find_last_of('/') + 1) + name;
  for (const std::string_view suffix : {kCpuSuffix, kTracedSuffix}) {
    if (self.ends_with(suffix)) path += suffix;
  }
  return require_program(path, why);
}

void become(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execv(program.c_str(), argv.data());
  throw core::Refused("cannot start " + program + ": " + std::strerror(errno));
}

}  // namespace harness
