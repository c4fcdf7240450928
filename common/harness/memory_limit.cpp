#include <harness/memory_limit.hpp>

#include <harness/device_problem.hpp>
#include <harness/table.hpp>

#include <core/error.hpp>

#include <unistd.h>

namespace harness {
namespace {

double host_memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string gib(double bytes) {
  return fixed(bytes / (1 << 30), 1) + " GiB";
}

}  // namespace

void require_memory(const gemm::Problem& problem, const Device& device) {
  const double bytes = operand_bytes(problem);
  const auto refuse = [&](const char* whose, double has) {
    throw core::Refused("shape " + problem.shape() + ": A, B and C take " + gib(bytes) + "; " +
                        whose + " has " + gib(has));
  };
  if (device.memory_bytes && bytes > 0.9 * static_cast<double>(*device.memory_bytes)) {
    refuse("the device", static_cast<double>(*device.memory_bytes));
  }
  if (2 * bytes > 0.9 * host_memory_bytes()) refuse("this machine", host_memory_bytes());
}

}  // namespace harness
