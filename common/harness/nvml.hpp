#pragma once
// What the board's management library knows: driver version, power limit, clock and power under
// load.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace harness {

// NVML, loaded while the program runs, so that it also starts where no NVIDIA driver is installed.
class Nvml {
 public:
  // Null, and one line in `why_not`, when the library is missing or does not know the device.
  // `pci_bus_id` as cudaDeviceGetPCIBusId writes it: CUDA's device numbers are not NVML's.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id, std::string& why_not,
                                    const char* library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<std::string> driver_version() const;
  std::optional<double> power_cap_w() const;
  std::optional<double> sm_mhz() const;

  // The board's power now. Where the driver offers only nvmlDeviceGetPowerUsage (before Hopper),
  // that is an average over the last second or so, far longer than a burst: then it tells of the
  // rest around a burst more than of the burst.
  std::optional<double> power_w() const;

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

// Reads clock and power every millisecond or so in a thread of its own while a measurement runs.
// The driver refreshes both at its own pace (tens of milliseconds), so the readings of a 3 ms burst
// are coarse; the mean over all rounds is what is reported, and only sustained mode makes it exact.
class BoardSampler {
 public:
  struct Means {
    std::optional<double> sm_mhz;
    std::optional<double> power_w;
  };

  explicit BoardSampler(const Nvml* nvml);  // null: reads nothing
  ~BoardSampler();
  BoardSampler(const BoardSampler&) = delete;
  BoardSampler& operator=(const BoardSampler&) = delete;

  void begin();              // start reading
  std::vector<Means> end();  // stop; the readings since begin()

 private:
  void loop();

  const Nvml* nvml_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  bool leaving_ = false;
  std::vector<Means> readings_;
  std::thread thread_;
};

// The mean of what was read; nothing where nothing was.
BoardSampler::Means mean(const std::vector<BoardSampler::Means>& readings);

}  // namespace harness
