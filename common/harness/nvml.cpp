#include <harness/nvml.hpp>

#include <dlfcn.h>

#include <chrono>

namespace harness {
namespace {

// The few declarations needed of nvml.h, which many machines with a driver do not have. They are
// part of NVML's stable binary interface.
using Device = void*;
constexpr int kSuccess = 0;
constexpr unsigned kClockSm = 1;              // NVML_CLOCK_SM
constexpr unsigned kFieldPowerInstant = 186;  // NVML_FI_DEV_POWER_INSTANT, in milliwatts

struct FieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency_us;
  int value_type;
  int status;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long long as_wide;
  } value;
};

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  Device device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_bus_id)(const char*, Device*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock_info)(Device, unsigned, unsigned*) = nullptr;
  int (*power_usage)(Device, unsigned*) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;
  int (*field_values)(Device, int, FieldValue*) = nullptr;  // may be missing in an old driver
  bool initialized = false;

  ~Library() {
    if (initialized) shutdown();
    if (handle != nullptr) dlclose(handle);
  }

  template <class Function>
  bool find(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
    return function != nullptr;
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id, std::string& why_not,
                                 const char* library_name) {
  auto library = std::make_unique<Library>();
  Library& l = *library;
  l.handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (l.handle == nullptr) {
    why_not = std::string("NVML: ") + library_name + " cannot be loaded";
    return nullptr;
  }
  const bool complete = l.find(l.init, "nvmlInit_v2") && l.find(l.shutdown, "nvmlShutdown") &&
                        l.find(l.device_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
                        l.find(l.driver_version, "nvmlSystemGetDriverVersion") &&
                        l.find(l.clock_info, "nvmlDeviceGetClockInfo") &&
                        l.find(l.power_usage, "nvmlDeviceGetPowerUsage") &&
                        l.find(l.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  if (!complete) {
    why_not = std::string("NVML: ") + library_name + " lacks a function that is needed";
    return nullptr;
  }
  l.find(l.field_values, "nvmlDeviceGetFieldValues");
  l.initialized = l.init() == kSuccess;
  if (!l.initialized) {
    why_not = "NVML: initialization failed";
    return nullptr;
  }
  if (l.device_by_bus_id(pci_bus_id.c_str(), &l.device) != kSuccess) {
    why_not = "NVML: no device at PCI bus " + pci_bus_id;
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

std::optional<std::string> Nvml::driver_version() const {
  char text[96] = {};
  if (library_->driver_version(text, sizeof text - 1) != kSuccess) return std::nullopt;
  return std::string(text);
}

std::optional<double> Nvml::power_cap_w() const {
  unsigned milliwatts = 0;
  if (library_->power_limit(library_->device, &milliwatts) != kSuccess) return std::nullopt;
  return milliwatts / 1000.0;
}

std::optional<double> Nvml::sm_mhz() const {
  unsigned mhz = 0;
  if (library_->clock_info(library_->device, kClockSm, &mhz) != kSuccess) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::power_w() const {
  if (library_->field_values != nullptr) {
    FieldValue instant = {};
    instant.field = kFieldPowerInstant;
    if (library_->field_values(library_->device, 1, &instant) == kSuccess &&
        instant.status == kSuccess) {
      return instant.value.as_unsigned / 1000.0;
    }
  }
  unsigned milliwatts = 0;
  if (library_->power_usage(library_->device, &milliwatts) != kSuccess) return std::nullopt;
  return milliwatts / 1000.0;
}

BoardSampler::BoardSampler(const Nvml* nvml) : nvml_(nvml) {
  if (nvml_ != nullptr) thread_ = std::thread([this] { loop(); });
}

BoardSampler::~BoardSampler() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BoardSampler::begin() {
  if (nvml_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    readings_.clear();
    running_ = true;
  }
  changed_.notify_all();
}

std::vector<BoardSampler::Means> BoardSampler::end() {
  const std::lock_guard lock(mutex_);
  running_ = false;
  return std::move(readings_);
}

void BoardSampler::loop() {
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    if (!running_) {
      changed_.wait(lock, [this] { return running_ || leaving_; });
      continue;
    }
    // The queries go to the driver and can take a while: begin() and end() must not wait for them.
    // A reading that was overtaken by end() is dropped, since it may describe the rest that
    // follows.
    lock.unlock();
    const Means reading{nvml_->sm_mhz(), nvml_->power_w()};
    lock.lock();
    if (!running_ || leaving_) continue;
    readings_.push_back(reading);
    changed_.wait_for(lock, std::chrono::milliseconds(1), [this] { return !running_ || leaving_; });
  }
}

BoardSampler::Means mean(const std::vector<BoardSampler::Means>& readings) {
  const auto over =
      [&](std::optional<double> BoardSampler::Means::*field) -> std::optional<double> {
    double sum = 0;
    int count = 0;
    for (const auto& reading : readings) {
      if (!(reading.*field)) continue;
      sum += *(reading.*field);
      ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / count;
  };
  return {over(&BoardSampler::Means::sm_mhz), over(&BoardSampler::Means::power_w)};
}

}  // namespace harness
