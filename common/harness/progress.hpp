#pragma once
// One line on a terminal that says what the program is busy with; nothing in a pipe or a file.

#include <unistd.h>

#include <cstdio>
#include <string>

namespace harness {

class Progress {
 public:
  ~Progress() { clear(); }

  void show(const std::string& what) {
    if (isatty(STDERR_FILENO) == 0) return;
    clear();
    std::fputs(what.substr(0, 79).c_str(), stderr);  // a line that wraps could not be removed
    shown_ = true;
  }
  void clear() {  // before anything else is printed
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }

 private:
  bool shown_ = false;
};

}  // namespace harness
