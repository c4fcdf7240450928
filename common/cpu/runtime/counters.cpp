#include <runtime/counters.hpp>

#include <runtime/trace.hpp>

#include <mutex>

namespace runtime {

namespace {

struct Sum {
  std::mutex mutex;
  Totals totals;
  std::uint64_t barriers = 0;
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
  sum().barriers = 0;
}

void add_barriers(std::uint64_t count) {
  const std::lock_guard lock(sum().mutex);
  sum().barriers += count;
}

void add_totals(const Totals& totals) {
  const std::lock_guard lock(sum().mutex);
  add(sum().totals.global_load, totals.global_load);
  add(sum().totals.global_store, totals.global_store);
  add(sum().totals.shared_load, totals.shared_load);
  add(sum().totals.shared_store, totals.shared_store);
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
  }
  out.emplace_back("block_barriers", static_cast<double>(sum().barriers));
  return out;
}

}  // namespace runtime
