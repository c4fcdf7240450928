#include <harness/nvml.hpp>

#include <core/error.hpp>

#include <dlfcn.h>

namespace harness {
namespace {

// The few declarations needed of nvml.h, which many machines with a driver do not have. They are
// part of NVML's stable binary interface.
constexpr int kSuccess = 0;
constexpr unsigned kClockSm = 1;              // NVML_CLOCK_SM
constexpr unsigned kFieldPowerInstant = 186;  // NVML_FI_DEV_POWER_INSTANT, in milliwatts

struct FieldValue {  // nvmlFieldValue_t
  unsigned field, scope;
  long long timestamp, latency_us;
  int value_type, status;
  union {
    double as_double;
    unsigned as_unsigned;
  } value;
};

// Calls a function of the library. False where it has none of that name, or fails.
template <class... Args>
bool call(void* library, const char* function, Args... args) {
  const auto found = reinterpret_cast<int (*)(Args...)>(dlsym(library, function));
  return found != nullptr && found(args...) == kSuccess;
}

// The number that a function writes behind these arguments.
template <class... Args>
std::optional<double> ask(void* library, const char* function, Args... args) {
  unsigned value = 0;
  if (!call(library, function, args..., &value)) return std::nullopt;
  return value;
}

std::optional<double> watts(std::optional<double> milliwatts) {
  return milliwatts ? std::optional(*milliwatts / 1000) : std::nullopt;
}

}  // namespace

// It stays loaded until the program ends.
Nvml::Nvml(const std::string& pci_bus_id)
    : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw core::DeviceError("NVML: libnvidia-ml.so.1 cannot be loaded");
  if (!call(library_, "nvmlInit_v2")) throw core::DeviceError("NVML: initialization failed");
  if (!call(library_, "nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device_)) {
    throw core::DeviceError("NVML: no device at PCI bus " + pci_bus_id);
  }
}

std::optional<std::string> Nvml::driver_version() const {
  char text[96] = {};
  const bool known = call(library_, "nvmlSystemGetDriverVersion", text + 0, unsigned{sizeof text});
  return known ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<double> Nvml::power_cap_w() const {
  return watts(ask(library_, "nvmlDeviceGetEnforcedPowerLimit", device_));
}

std::optional<double> Nvml::sm_mhz() const {
  return ask(library_, "nvmlDeviceGetClockInfo", device_, kClockSm);
}

std::optional<double> Nvml::power_w() const {
  FieldValue instant = {};
  instant.field = kFieldPowerInstant;
  if (call(library_, "nvmlDeviceGetFieldValues", device_, 1, &instant) &&
      instant.status == kSuccess) {
    return watts(instant.value.as_unsigned);
  }
  // Before Hopper: an average over the last second or so.
  return watts(ask(library_, "nvmlDeviceGetPowerUsage", device_));
}

}  // namespace harness
