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

void require_memory(const gemm::Problem& problem, const Device& device, int sets) {
  const double operands = operand_bytes(problem), on_device = sets * operands;
  const auto refuse = [&](double needed, const char* whose, double has) {
    throw core::Refused("shape " + problem.shape() + ": A, B and C take " + gib(operands) +
                        ", and all that is kept of them " + gib(needed) + "; " + whose + " has " +
                        gib(has));
  };
  // The host's own, and one matrix more on its way to the device or back.
  double on_host = sets * operands + operands;
  if (!device.memory_bytes) {
    on_host += on_device;
  } else if (on_device > 0.9 * static_cast<double>(*device.memory_bytes)) {
    refuse(on_device, "the device", static_cast<double>(*device.memory_bytes));
  }
  if (on_host > 0.9 * host_memory_bytes()) refuse(on_host, "this machine", host_memory_bytes());
}

}  // namespace harness
