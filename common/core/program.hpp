#pragma once
// What main() of every program does around its work: complaints in one line, exit statuses, files.

#include <core/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <utility>

namespace core {

// A message may quote what the user typed: without what would end the line or move the cursor.
inline std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

// Calls work(args...), which returns an exit status, and turns what it throws into one line on
// standard error and a status. Reports of the CPU backend keep their lines.
template <class Work, class... Args>
int run_main(const std::string& program, const Work& work, const Args&... args) {
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

// A file that is written beside its place when the work is done, and then moved there, so that it
// is whole or not there, however the program ends.
class OutputFile {
 public:
  // `option`: what gave the name. Throws core::Refused when the file could not be written later.
  explicit OutputFile(std::string path, std::string option = "--json")
      : path_(std::move(path)), option_(std::move(option)), written_(path_) {
    std::error_code error;
    const auto found = std::filesystem::status(path_, error);
    // A pipe or a device cannot be replaced, and a link is not: /dev/stdout may lead to a file.
    if (is_other(found) || std::filesystem::is_symlink(path_, error)) return;
    if (exists(found) && !std::fstream(path_)) refuse(errno);  // a directory, or write-protected
    written_ += ".tmp" + std::to_string(getpid());
    if (!std::ofstream(written_)) refuse(errno);
    std::remove(written_.c_str());
  }

  // Throws core::Refused when the disk filled up meanwhile.
  void write(const std::string& text) const {
    std::ofstream file(written_);
    file << text << std::flush;
    if (file && (written_ == path_ || std::rename(written_.c_str(), path_.c_str()) == 0)) return;
    const int error = errno;
    if (written_ != path_) std::remove(written_.c_str());
    refuse(error);
  }

 private:
  [[noreturn]] void refuse(int error) const {
    throw Refused(option_ + " " + path_ + ": cannot be written (" + std::strerror(error) + ")");
  }

  std::string path_, option_;
  std::string written_;  // beside the path, or the path itself
};

}  // namespace core
