#pragma once
// What the board's management library knows: driver version, power limit, clock and power.

#include <gpu/host.hpp>

#include <dlfcn.h>

#include <optional>
#include <string>

namespace harness {

// NVML, loaded while the program runs, so that it also starts where no NVIDIA driver is installed.
// It stays loaded until the program ends. The few declarations of nvml.h, which many machines with
// a driver do not have, are part of the library's stable binary interface. A number is
// missing where the driver does not say.
class Nvml {
 public:
  // Of the present CUDA device, by its place on the bus: CUDA's device numbers are not NVML's.
  // Throws core::DeviceError when the library is missing or does not know it.
  Nvml() {
    int device = 0;
    gpu::check(cudaGetDevice(&device), "cudaGetDevice");
    char bus[32] = {};
    gpu::check(cudaDeviceGetPCIBusId(bus, sizeof bus, device), "cudaDeviceGetPCIBusId");
    const auto require = [](bool works, const std::string& otherwise) {
      if (!works) throw core::DeviceError("NVML: " + otherwise);
    };
    require(library_ != nullptr, "libnvidia-ml.so.1 cannot be loaded");
    require(call("nvmlInit_v2"), "initialization failed");
    require(call("nvmlDeviceGetHandleByPciBusId_v2", bus + 0, &device_),
            std::string("no device at PCI bus ") + bus);
  }

  std::string driver_version() const {
    char text[96] = "unknown";
    call("nvmlSystemGetDriverVersion", text + 0, unsigned{sizeof text});
    return text;
  }
  std::optional<double> power_cap_w() const { return ask(1e-3, "nvmlDeviceGetEnforcedPowerLimit"); }

  // Refreshed every few tens of milliseconds: they mean something in sustained mode alone.
  std::optional<double> sm_mhz() const {
    constexpr unsigned kClockSm = 1;  // NVML_CLOCK_SM
    return ask(1, "nvmlDeviceGetClockInfo", kClockSm);
  }
  std::optional<double> power_w() const {
    struct {                            // nvmlFieldValue_t
      unsigned field = 186, scope = 0;  // NVML_FI_DEV_POWER_INSTANT, in milliwatts
      long long timestamp = 0, latency_us = 0;
      int value_type = 0, status = 0;
      union {
        double as_double;
        unsigned as_unsigned;
      } value = {};
    } instant;
    if (call("nvmlDeviceGetFieldValues", device_, 1, &instant) && instant.status == 0) {
      return 1e-3 * instant.value.as_unsigned;
    }
    return ask(1e-3, "nvmlDeviceGetPowerUsage");  // before Hopper: an average over a second or so
  }

 private:
  // Calls a function of the library. False where it has none of that name, or fails.
  template <class... Args>
  bool call(const char* function, Args... args) const {
    const auto found = reinterpret_cast<int (*)(Args...)>(dlsym(library_, function));
    return found != nullptr && found(args...) == 0;
  }

  // The number that a function writes behind these arguments, times `unit`.
  template <class... Args>
  std::optional<double> ask(double unit, const char* function, Args... args) const {
    unsigned value = 0;
    if (!call(function, device_, args..., &value)) return std::nullopt;
    return unit * value;
  }

  void* library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  void* device_ = nullptr;
};

}  // namespace harness
