#pragma once
// A file that is whole or not there, however the program ends.

#include <core/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace core {

// A file that will be written when the work is done. It is written beside its place and then moved
// there, so that what is found under the name is always whole.
class OutputFile {
 public:
  // `option`: what gave the name, for complaints. Throws core::Refused, before any work is done,
  // when the file could not be written later.
  explicit OutputFile(std::string path, std::string option = "--json")
      : path_(std::move(path)), option_(std::move(option)), written_(path_) {
    std::error_code error;
    const auto found = std::filesystem::status(path_, error);
    if (is_directory(found)) refuse(EISDIR);
    if (exists(found) && access(path_.c_str(), W_OK) != 0) refuse(errno);
    if (is_other(found)) return;  // a pipe or a device, which cannot be replaced
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
