#include <harness/nvml.hpp>

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

}  // namespace

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id, std::string& why_not,
                                 const char* library) {
  std::unique_ptr<Nvml> nvml(new Nvml);
  nvml->handle_ = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (nvml->handle_ == nullptr) {
    why_not = std::string("NVML: ") + library + " cannot be loaded";
  } else if (!call(nvml->handle_, "nvmlInit_v2")) {
    why_not = "NVML: initialization failed";
  } else if (!call(nvml->handle_, "nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(),
                   &nvml->device_)) {
    why_not = "NVML: no device at PCI bus " + pci_bus_id;
  } else {
    return nvml;
  }
  return nullptr;
}

Nvml::~Nvml() {
  if (handle_ == nullptr) return;
  call(handle_, "nvmlShutdown");
  dlclose(handle_);
}

std::optional<std::string> Nvml::driver_version() const {
  char text[96] = {};
  const bool known = call(handle_, "nvmlSystemGetDriverVersion", text + 0, unsigned{sizeof text});
  return known ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<double> Nvml::power_cap_w() const {
  unsigned milliwatts = 0;
  if (!call(handle_, "nvmlDeviceGetEnforcedPowerLimit", device_, &milliwatts)) return std::nullopt;
  return milliwatts / 1000.0;
}

std::optional<double> Nvml::sm_mhz() const {
  unsigned mhz = 0;
  if (!call(handle_, "nvmlDeviceGetClockInfo", device_, kClockSm, &mhz)) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::power_w() const {
  FieldValue instant = {};
  instant.field = kFieldPowerInstant;
  if (call(handle_, "nvmlDeviceGetFieldValues", device_, 1, &instant) &&
      instant.status == kSuccess) {
    return instant.value.as_unsigned / 1000.0;
  }
  unsigned milliwatts = 0;  // before Hopper: an average over the last second or so
  if (!call(handle_, "nvmlDeviceGetPowerUsage", device_, &milliwatts)) return std::nullopt;
  return milliwatts / 1000.0;
}

}  // namespace harness
