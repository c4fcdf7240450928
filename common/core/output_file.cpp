#include <core/output_file.hpp>

#include <core/error.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace core {

OutputFile::OutputFile(std::string path, std::string option)
    : path_(std::move(path)), option_(std::move(option)), written_(path_) {
  struct stat found = {};
  if (stat(path_.c_str(), &found) == 0) {
    if (access(path_.c_str(), W_OK) != 0) refuse(errno);
    if (S_ISDIR(found.st_mode)) refuse(EISDIR);
    if (!S_ISREG(found.st_mode)) return;  // a pipe or a device, which cannot be replaced
  }
  written_ += ".tmp" + std::to_string(getpid());
  if (!std::ofstream(written_)) refuse(errno);
  std::remove(written_.c_str());
}

void OutputFile::refuse(int error) const {
  throw Refused(option_ + " " + path_ + ": cannot be written (" + std::strerror(error) + ")");
}

void OutputFile::write(const std::string& text) const {
  std::ofstream file(written_);
  file << text << std::flush;
  if (file && (written_ == path_ || std::rename(written_.c_str(), path_.c_str()) == 0)) return;
  const int error = errno;
  if (written_ != path_) std::remove(written_.c_str());
  refuse(error);
}

}  // namespace core
