// backend::measure on a GPU: who measures, what is printed, what goes into the result file.

#include <harness/backend.hpp>
#include <harness/measure.hpp>
#include <harness/probes.hpp>
#include <harness/speed_table.hpp>

#include <core/error.hpp>

#include <cstdio>

namespace harness::backend {
namespace {

std::string pci_bus_id() {
  int device = 0;
  gpu::check(cudaGetDevice(&device), "cudaGetDevice");
  char text[32] = {};
  gpu::check(cudaDeviceGetPCIBusId(text, sizeof text, device), "cudaDeviceGetPCIBusId");
  return text;
}

std::string runtime_version() {
  int version = 0;
  gpu::check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Method method_of(const TimingConfig& config, int rounds, bool cold) {
  Method method;
  method.cold = cold;
  method.mode = name(config.mode);
  method.rounds = rounds;
  if (config.mode == Mode::kBurst) {
    method.rest_ms = config.rest_ms;
    method.burst_ms = config.burst_ms;
  } else {
    method.preheat_ms = config.preheat_ms;
    method.sustained_ms = config.sustained_ms;
  }
  return method;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

int measure(const Job& job, const std::vector<Shape>& shapes, Results& results) {
  const TimingConfig config = {.mode = job.options.mode.value_or(Mode::kBurst)};
  std::string why_no_nvml;
  const std::unique_ptr<Nvml> nvml = Nvml::open(pci_bus_id(), why_no_nvml);
  Measurement measurement(job, results.device, config, nvml.get());

  if (nvml) results.device.power_cap_w = nvml->power_cap_w();
  if (nvml) results.software.driver = nvml->driver_version();
  results.software.cuda = runtime_version();
  results.software.cublas = measurement.cublas_version();
  results.software.compiler =
      std::string("nvcc ") + probes::compiler_version() + ", " + host_compiler();
  results.method = method_of(config, measurement.rounds(), job.options.cold);
  results.method.tuned = !job.own_variants.empty();
  if (job.options.layout != "tn") results.method.layout = job.options.layout;
  if (job.options.epilogue != "identity") results.method.epilogue = job.options.epilogue;
  if (job.options.fp32_c) results.method.c_dtype = "fp32";
  print(heading(results));
  if (!nvml) print("no clock and power: " + why_no_nvml + "\n");

  results.ceilings = measurement.ceilings();
  print(ceilings_line(results.ceilings));
  for (const Shape& shape : shapes) {
    std::vector<Row> rows = measurement.at(shape);
    print("\n");
    print(speed_table(results, rows));
    for (Row& row : rows) results.rows.push_back(std::move(row));
  }
  if (measurement.why_no_cublas())
    print("\nno cuBLAS to compare with: " + *measurement.why_no_cublas() + "\n");
  return measurement.anything_wrong() ? core::kWrongResult : core::kRight;
}

}  // namespace harness::backend
