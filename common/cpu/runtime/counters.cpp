#include <runtime/counters.hpp>

#include <runtime/l2_model.hpp>

#include <array>
#include <bit>
#include <mutex>

namespace runtime {

static std::mutex counters_mutex;
static constinit Counts sum;

void reset_counters() {
  const std::lock_guard lock(counters_mutex);
  sum = {};
  reset_l2_logs();
}

void add_counts(const Counts& counts) {
  using Numbers = std::array<std::uint64_t, sizeof(Counts) / sizeof(std::uint64_t)>;
  const auto more = std::bit_cast<Numbers>(counts);
  const std::lock_guard lock(counters_mutex);
  auto numbers = std::bit_cast<Numbers>(sum);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += more[i];
  sum = std::bit_cast<Counts>(numbers);
}

std::vector<std::pair<std::string, double>> read_counters() {
  const std::lock_guard lock(counters_mutex);
  std::vector<std::pair<std::string, double>> out;
  const auto value = [&](const std::string& name, std::uint64_t count) {
    out.emplace_back(name, static_cast<double>(count));
  };
  const auto list = [&](const std::string& name, const char* unit, const AccessCounts& counts) {
    value(name + "_requests", counts.requests);
    value(name + "_" + unit, counts.units);
    const double requests = static_cast<double>(counts.requests);
    out.emplace_back(name + "_" + unit + "_per_request",
                     requests > 0 ? static_cast<double>(counts.units) / requests : 0.0);
    value(name + "_bytes", counts.bytes);
  };
  if (traced) {
    list("global_load", "sectors", sum.global_load);
    list("global_store", "sectors", sum.global_store);
    list("shared_load", "wavefronts", sum.shared_load);
    list("shared_store", "wavefronts", sum.shared_store);
    list("ldmatrix", "wavefronts", sum.matrix_load);
    list("stmatrix", "wavefronts", sum.matrix_store);
    list("cp_async_global", "sectors", sum.copy_global);
    list("cp_async_shared", "wavefronts", sum.copy_shared);
    value("cp_async_shared_sectors", sum.copied_sectors);
  }
  value("tma_load_bytes", sum.tma_load_bytes);
  value("tma_shared_bytes", sum.tma_shared_bytes);
  value("tma_multicast_bytes", sum.tma_multicast_bytes);
  value("tma_store_bytes", sum.tma_store_bytes);
  if (traced) {
    const L2Result l2 = run_l2_model();
    value("l2_model_lines", l2.lines);
    value("l2_model_hits", l2.hits);
    value("fma_flops", 2 * sum.fmas);
  }
  value("tensor_flops", sum.tensor_flops);
  if (traced) value("mbarrier_arrivals", sum.mbarrier_arrivals);
  value("mbarrier_waits", sum.mbarrier_waits);
  value("mbarrier_waits_blocked", sum.mbarrier_blocked);
  value("block_barriers", sum.block_barriers);
  return out;
}

}  // namespace runtime
