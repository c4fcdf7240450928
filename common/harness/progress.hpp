#pragma once
// One line on a terminal that says what the program is busy with; nothing in a pipe or a file.

#include <string>

namespace harness {

class Progress {
 public:
  Progress();   // looks whether standard error is a terminal
  ~Progress();  // removes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);
  void clear();  // before anything else is printed

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace harness
