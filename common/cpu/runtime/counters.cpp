#include <runtime/counters.hpp>

#include <runtime/settings.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace runtime {

namespace {

constexpr std::size_t kMultiprocessors = 132;

struct Entry {
  std::uint64_t launch, gang;
  std::size_t blocks;
  L2Log log;
};

std::mutex l2_mutex;
std::uint64_t launch = 0;
std::vector<Entry> entries;

class Cache {
 public:
  explicit Cache(std::size_t lines) : capacity_(lines) {}

  bool access(std::uint64_t line) {
    const auto found = where_.find(line);
    if (found != where_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    if (where_.size() == capacity_) {
      where_.erase(order_.back());
      order_.pop_back();
    }
    order_.push_front(line);
    where_[line] = order_.begin();
    return false;
  }

 private:
  std::size_t capacity_;
  std::list<std::uint64_t> order_;  // the latest first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> where_;
};

// One launch.
void replay(std::vector<Entry>::const_iterator waiting, std::vector<Entry>::const_iterator last,
            Cache& cache, L2Result& result) {
  struct Running {
    const L2Log* log;
    std::size_t next = 0;
  };
  std::vector<Running> running;
  const std::size_t together = std::max<std::size_t>(1, kMultiprocessors / waiting->blocks);
  while (waiting != last && running.size() < together) running.push_back({&(waiting++)->log});
  while (!running.empty()) {
    for (Running& one : running) {
      for (const std::uint64_t line : one.log->requests()[one.next]) {
        ++result.lines;
        result.hits += cache.access(line) ? 1 : 0;
      }
      if (++one.next == one.log->requests().size()) {
        one.log = waiting != last ? &(waiting++)->log : nullptr;
        one.next = 0;
      }
    }
    std::erase_if(running, [](const Running& one) { return one.log == nullptr; });
  }
}

}  // namespace

void L2Log::read(std::uint64_t address, std::size_t bytes) {
  if (bytes == 0) return;
  for (std::uint64_t line = address / kL2Line; line <= (address + bytes - 1) / kL2Line; ++line) {
    lines_.push_back(line);
  }
}

void L2Log::end_of_request() {
  if (lines_.empty()) return;
  std::sort(lines_.begin(), lines_.end());
  lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
  requests_.push_back(std::exchange(lines_, {}));
}

std::size_t l2_bytes() {
  return number_of_environment("CPU_BACKEND_L2", kL2Line, std::size_t{60} << 20, "bytes");
}

void add_l2_log(std::uint64_t gang, std::size_t blocks, L2Log log) {
  if (log.requests().empty()) return;
  const std::lock_guard lock(l2_mutex);
  entries.push_back({launch, gang, blocks, std::move(log)});
}

void end_l2_launch() {
  const std::lock_guard lock(l2_mutex);
  ++launch;
}

L2Result run_l2_model() {
  const std::lock_guard lock(l2_mutex);
  L2Result result;
  if (entries.empty()) return result;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.launch != b.launch ? a.launch < b.launch : a.gang < b.gang;
  });
  Cache cache(l2_bytes() / kL2Line);
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(
        first, entries.end(), [&](const Entry& entry) { return entry.launch != first->launch; });
    replay(first, last, cache, result);
    first = last;
  }
  return result;
}

static std::mutex counters_mutex;
static constinit Counts sum;

void reset_counters() {
  const std::scoped_lock lock(counters_mutex, l2_mutex);
  sum = {};
  entries.clear();
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
