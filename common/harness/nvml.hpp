#pragma once
// What the board's management library knows: driver version, power limit, clock and power.

#include <memory>
#include <optional>
#include <string>

namespace harness {

// NVML, loaded while the program runs, so that it also starts where no NVIDIA driver is installed.
class Nvml {
 public:
  // Throws core::DeviceError when the library is missing or does not know the device. `pci_bus_id`
  // as cudaDeviceGetPCIBusId writes it: CUDA's device numbers are not NVML's.
  explicit Nvml(const std::string& pci_bus_id);

  // Nothing where the driver does not say. Clock and power are refreshed every few tens of
  // milliseconds, so they mean something in sustained mode alone.
  std::optional<std::string> driver_version() const;
  std::optional<double> power_cap_w() const;
  std::optional<double> sm_mhz() const;
  std::optional<double> power_w() const;

 private:
  void* library_;
  void* device_ = nullptr;
};

}  // namespace harness
