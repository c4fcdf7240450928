#pragma once
// The two ways in which work can be declined, and exit statuses.

#include <stdexcept>
#include <string>

namespace core {

// The request itself cannot be served: bad usage, an invalid problem, hardware rules broken. One
// line, exit status 2. Thrown before anything is launched.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The device, its driver, a library call or the CPU model's checks failed. Exit status 3.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Exit statuses of every program in this repository.
enum ExitStatus { kRight = 0, kWrongResult = 1, kRefused = 2, kDeviceError = 3, kSkipped = 77 };

}  // namespace core
