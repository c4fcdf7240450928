#pragma once
// What main() of every program does around its work: complaints in one line, exit statuses, an
// interrupt, a full disk.

#include <core/error.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <unistd.h>

namespace core {

// A message may quote what the user typed: without what would end the line or move the cursor.
inline std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

inline std::string interrupt_message;

extern "C" inline void end_interrupted(int signal) {
  [[maybe_unused]] const auto wrote =
      ::write(STDERR_FILENO, interrupt_message.data(), interrupt_message.size());
  std::signal(signal, SIG_DFL);  // whoever waits for this program shall see what ended it
  std::raise(signal);
}

// Calls work(args...), which returns an exit status, and turns what it throws into one line on
// standard error that begins with the program's name, and a status. Reports of the CPU backend keep
// their lines. An interrupt ends the program with one line too, as the signal it is.
template <class Work, class... Args>
int run_main(const std::string& program, const Work& work, const Args&... args) {
  const std::string clear_line = isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "";
  interrupt_message = clear_line + program + ": interrupted\n";
  for (const int signal : {SIGINT, SIGTERM}) {
    // What was to be ignored (nohup, a background job) still is.
    if (std::signal(signal, end_interrupted) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  const auto complain = [&](const std::string& what, int status) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", program.c_str(), what.c_str());
    return status;
  };
  int status = kRight;
  try {
    status = work(args...);
  } catch (const Refused& reason) {
    status = complain(one_line(reason.what()), kRefused);
  } catch (const std::bad_alloc&) {
    status = complain("out of memory", kDeviceError);
  } catch (const std::exception& error) {  // DeviceError among others
    status = complain(error.what(), kDeviceError);
  }
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && status == kRight) {
    status = complain("standard output cannot be written; is the disk full?", kRefused);
  }
  return status;
}

}  // namespace core
