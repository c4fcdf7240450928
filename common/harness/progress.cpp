#include <harness/progress.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace harness {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

std::size_t terminal_columns() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 80;
  return size.ws_col;
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}
Progress::~Progress() {
  clear();
}

void Progress::show(const std::string& what) {
  if (!terminal_) return;
  // A line that wraps could not be removed again.
  std::fprintf(stderr, "%s%s", kClearLine, what.substr(0, terminal_columns() - 1).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs(kClearLine, stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace harness
