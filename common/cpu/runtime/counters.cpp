#include <runtime/counters.hpp>

#include <runtime/l2_model.hpp>
#include <runtime/trace.hpp>

#include <mutex>

namespace runtime {

namespace {

struct Sum {
  std::mutex mutex;
  Totals totals;
  Work work;
};

Sum& sum() {
  static Sum instance;
  return instance;
}

void add(AccessTotals& to, const AccessTotals& from) {
  to.requests += from.requests;
  to.units += from.units;
  to.bytes += from.bytes;
}

}  // namespace

bool tracing() {
  return make_trace != nullptr;
}

void reset_counters() {
  const std::lock_guard lock(sum().mutex);
  sum().totals = {};
  sum().work = {};
  reset_l2_logs();
}

void add_work(const Work& work) {
  const std::lock_guard lock(sum().mutex);
  Work& to = sum().work;
  to.block_barriers += work.block_barriers;
  to.mbarrier_waits += work.mbarrier_waits;
  to.mbarrier_blocked += work.mbarrier_blocked;
  to.tma_load_bytes += work.tma_load_bytes;
  to.tma_shared_bytes += work.tma_shared_bytes;
  to.tma_multicast_bytes += work.tma_multicast_bytes;
  to.tma_store_bytes += work.tma_store_bytes;
  to.tensor_flops += work.tensor_flops;
}

void add_totals(const Totals& totals) {
  const std::lock_guard lock(sum().mutex);
  add(sum().totals.global_load, totals.global_load);
  add(sum().totals.global_store, totals.global_store);
  add(sum().totals.shared_load, totals.shared_load);
  add(sum().totals.shared_store, totals.shared_store);
  add(sum().totals.matrix_load, totals.matrix_load);
  add(sum().totals.matrix_store, totals.matrix_store);
  add(sum().totals.copy_global, totals.copy_global);
  add(sum().totals.copy_shared, totals.copy_shared);
  sum().totals.copied_sectors += totals.copied_sectors;
  sum().totals.mbarrier_arrivals += totals.mbarrier_arrivals;
  sum().totals.fmas += totals.fmas;
}

std::vector<std::pair<std::string, double>> read_counters() {
  const std::lock_guard lock(sum().mutex);
  std::vector<std::pair<std::string, double>> out;
  const auto list = [&](const std::string& name, const char* unit, const AccessTotals& totals) {
    const auto requests = static_cast<double>(totals.requests);
    const auto units = static_cast<double>(totals.units);
    out.emplace_back(name + "_requests", requests);
    out.emplace_back(name + "_" + unit, units);
    out.emplace_back(name + "_" + unit + "_per_request", requests > 0 ? units / requests : 0.0);
    out.emplace_back(name + "_bytes", static_cast<double>(totals.bytes));
  };
  if (tracing()) {
    list("global_load", "sectors", sum().totals.global_load);
    list("global_store", "sectors", sum().totals.global_store);
    list("shared_load", "wavefronts", sum().totals.shared_load);
    list("shared_store", "wavefronts", sum().totals.shared_store);
    list("ldmatrix", "wavefronts", sum().totals.matrix_load);
    list("stmatrix", "wavefronts", sum().totals.matrix_store);
    list("cp_async_global", "sectors", sum().totals.copy_global);
    list("cp_async_shared", "wavefronts", sum().totals.copy_shared);
    out.emplace_back("cp_async_shared_sectors", static_cast<double>(sum().totals.copied_sectors));
  }
  const Work& work = sum().work;
  const auto value = [&](const char* name, std::uint64_t count) {
    out.emplace_back(name, static_cast<double>(count));
  };
  value("tma_load_bytes", work.tma_load_bytes);
  value("tma_shared_bytes", work.tma_shared_bytes);
  value("tma_multicast_bytes", work.tma_multicast_bytes);
  value("tma_store_bytes", work.tma_store_bytes);
  if (tracing()) {
    const L2Result l2 = run_l2_model();
    value("l2_model_lines", l2.lines);
    value("l2_model_hits", l2.hits);
    value("fma_flops", 2 * sum().totals.fmas);
  }
  value("tensor_flops", work.tensor_flops);
  if (tracing()) value("mbarrier_arrivals", sum().totals.mbarrier_arrivals);
  value("mbarrier_waits", work.mbarrier_waits);
  value("mbarrier_waits_blocked", work.mbarrier_blocked);
  value("block_barriers", work.block_barriers);
  return out;
}

}  // namespace runtime
