#pragma once
// How long a launch takes on a GPU, in one of two thermal states that can be reproduced
// (MEASURING.md): burst, after a rest; sustained, after 0.7 s of the same kernel.

#include <harness/device_problem.hpp>
#include <harness/results.hpp>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <dlfcn.h>

#include <string>
#include <vector>

namespace harness {

struct TimingConfig {
  bool sustained = false;
  double rest_ms = 60;          // idle before a burst
  double burst_ms = 3;          // of launches between two events; one launch where it takes longer
  double preheat_ms = 700;      // the same kernel, before a sustained measurement
  double sustained_ms = 700;    // measured
  double graph_below_ms = 0.1;  // launches shorter than this go through a CUDA graph
};

// The board's management library NVML. It is loaded while the program runs: the program also starts
// where no driver is installed. The few declarations of nvml.h, which many machines lack, are part
// of the library's stable binary interface. What the driver does not say is missing.
class Nvml {
 public:
  // Of the present CUDA device, by its place on the bus: CUDA's device numbers are not NVML's.
  Nvml() {
    int device = 0;
    char bus[32] = {};
    gpu::check(cudaGetDevice(&device), "cudaGetDevice");
    gpu::check(cudaDeviceGetPCIBusId(bus, sizeof bus, device), "cudaDeviceGetPCIBusId");
    knows_device =
        call("nvmlInit_v2") && call("nvmlDeviceGetHandleByPciBusId_v2", bus + 0, &device_);
  }
  bool knows_device;

  std::string driver_version() const {
    char text[96] = "unknown";
    call("nvmlSystemGetDriverVersion", text + 0, unsigned{sizeof text});
    return text;
  }
  std::optional<double> power_cap_w() const { return ask(1e-3, "nvmlDeviceGetEnforcedPowerLimit"); }

  // Refreshed every few tens of milliseconds: they mean something in sustained mode alone.
  std::optional<double> sm_mhz() const {
    return ask(1, "nvmlDeviceGetClockInfo", 1u);  // NVML_CLOCK_SM
  }
  std::optional<double> power_w() const {
    struct {                            // nvmlFieldValue_t
      unsigned field = 186, scope = 0;  // NVML_FI_DEV_POWER_INSTANT, in milliwatts
      long long timestamp = 0, latency_us = 0;
      int value_type = 0, status = 0;
      alignas(8) unsigned value[2] = {};  // the first, little-endian: of a union with a double
    } instant;
    if (call("nvmlDeviceGetFieldValues", device_, 1, &instant) && instant.status == 0) {
      return 1e-3 * instant.value[0];
    }
    return ask(1e-3, "nvmlDeviceGetPowerUsage");  // before Hopper: an average over a second or so
  }

 private:
  // Calls a function of the library. False where there is none of that name, or it fails.
  template <class... Args>
  bool call(const char* function, Args... args) const {
    if (library_ == nullptr) return false;
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

// What is timed: the same work on one or more sets of operands, taken in turn: enough to push each
// other out of the L2 cache, where a kernel in a program with other things to do finds nothing.
class TimedWork {
 public:
  // Runs the work a few times to learn how long it takes, and captures a graph of many launches
  // where a launch is so short that starting it would be what is measured. The work must have run
  // before: a first launch loads the kernel, which takes long and cannot be captured.
  TimedWork(std::vector<Plan> plans, const TimingConfig& config, gpu::Stream stream);

  // Adds to samples(): one in burst mode; several in sustained mode, with clock and power.
  void sample(const Nvml* board = nullptr);

  // Launches `count` times, as sample() does: a graph as often as it takes.
  void launch(int count);

  const std::vector<double>& samples() const { return samples_; }  // milliseconds per launch
  double launch_ms() const { return launch_ms_; }  // about what a launch takes, without rests
  double sample_cost_ms() const;                   // what a call of sample() takes, with rests
  bool graph() const { return graph_.handle != nullptr; }
  int buffers() const { return static_cast<int>(plans_.size()); }  // sets of operands
  int batch() const { return batch_; }                             // launches between two events

  // Into the row: samples and rates, how they were taken, and what the board said meanwhile.
  void fill(Row& row) const;

 private:
  void capture();

  std::vector<Plan> plans_;
  TimingConfig config_;
  gpu::Stream stream_;
  double launch_ms_ = 0;
  int batch_ = 1;
  int next_ = 0;  // set of operands of the next launch outside a graph
  Owned<cudaGraphExecDestroy, cudaGraphExec_t> graph_;  // of batch_ launches
  std::vector<double> samples_, mhz_, watts_;
};

// A stream of its own, so that nothing else waits in it.
struct OwnStream : Owned<cudaStreamDestroy, cudaStream_t> {
  OwnStream() {
    gpu::check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "cudaStreamCreate");
  }
};

// Milliseconds that a launch takes, on average over consecutive ones.
double time_launches(const Plan& plan, int launches, gpu::Stream stream);

// What the board can do at best, measured in the same mode as the kernels that are held against it:
// medians over `rounds` samples. There is no wgmma but on compute capability 9.0.
Ceilings measure_ceilings(const TimingConfig& config, int rounds, gpu::Stream stream);

// cuBLAS as it comes, and the best that its library can do when every algorithm is tried, in one
// stream. Its plans must not outlive it.
class Cublas {
 public:
  explicit Cublas(gpu::Stream stream);

  static std::string version() {  // "13.1.0"
    const std::size_t v = cublasLtGetVersion();
    return formatted("%zu.%zu.%zu", v / 10000, v / 100 % 100, v % 100);
  }

  // cublasGemmEx with fp32 accumulation and its own choice of algorithm.
  Plan default_gemm(const gemm::Problem& problem) const;

  // The same, without the freedom to add up partial sums in 16 bits: the second opinion that all
  // entries of a kernel's C are held against.
  void compute_precisely(const gemm::Problem& problem) const;

  // Every algorithm that cublasLt proposes, its favourite first: plans for sets of operands that
  // differ in their pointers alone. Those that would add partial sums in 16 bits are not asked for.
  // Launching one that was proposed can still fail: core::DeviceError.
  std::vector<std::vector<Plan>> proposals(const std::vector<gemm::Problem>& sets) const;

  // The fastest proposal: of all the five with the shortest burst are timed again, longer and in
  // rounds. Empty where none can be launched.
  std::vector<Plan> best(const std::vector<gemm::Problem>& sets) const;

  // Nothing when the problem can be given to cuBLAS; otherwise why not, in one line.
  static std::optional<std::string> why_unsuited(const gemm::Problem& problem) {
    if (!problem.epilogue.adds_bias()) return std::nullopt;
    return "cublasGemmEx has no bias to compare this epilogue with";
  }

 private:
  gpu::Stream stream_;
  DeviceMemory workspace_;
  Owned<cublasDestroy, cublasHandle_t> handle_;
};

}  // namespace harness
