#include <harness/results.hpp>

#include <core/error.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace harness {
namespace {

[[noreturn]] void refuse(const std::string& what, int error) {
  throw core::Refused(what + ": cannot be written (" + std::strerror(error) + ")");
}

// An interrupt between the first byte and the last would leave a temporary file behind: it waits
// until the file has its name.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// 0 or an errno.
int write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    done += static_cast<std::size_t>(wrote);
  }
  return 0;
}

std::string temporary_beside(const std::string& path) {
  return path + ".tmp" + std::to_string(getpid());
}

int open_temporary(const std::string& name) {
  return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

}  // namespace

ResultFile::ResultFile(std::string path, std::string flag)
    : path_(std::move(path)), flag_(std::move(flag)) {
  struct stat found = {};
  if (stat(path_.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) refuse(flag_ + " " + path_, EISDIR);
    in_place_ = !S_ISREG(found.st_mode);
    if (access(path_.c_str(), W_OK) != 0) refuse(flag_ + " " + path_, errno);
  }
  if (in_place_) return;
  const SignalsHeld held;
  const std::string temporary = temporary_beside(path_);
  const int file = open_temporary(temporary);
  if (file < 0) refuse(flag_ + " " + path_, errno);
  close(file);
  unlink(temporary.c_str());
}

void ResultFile::write(const std::string& text) const {
  const SignalsHeld held;
  if (in_place_) {
    const int file = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) refuse(flag_ + " " + path_, errno);
    const int error = write_all(file, text);
    close(file);
    if (error != 0) refuse(flag_ + " " + path_, error);
    return;
  }
  const std::string temporary = temporary_beside(path_);
  const int file = open_temporary(temporary);
  if (file < 0) refuse(flag_ + " " + path_, errno);
  int error = write_all(file, text);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path_.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    refuse(flag_ + " " + path_, error);
  }
}

}  // namespace harness
