#include <runtime/l2_model.hpp>

#include <runtime/settings.hpp>

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

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
      for (std::size_t i = one.log->begin_of(one.next); i < one.log->end_of(one.next); ++i) {
        ++result.lines;
        result.hits += cache.access(one.log->lines()[i]) ? 1 : 0;
      }
      if (++one.next == one.log->requests()) {
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
  const std::size_t begin = ends_.empty() ? 0 : ends_.back();
  const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(begin);
  if (first == lines_.end()) return;
  std::sort(first, lines_.end());
  lines_.erase(std::unique(first, lines_.end()), lines_.end());
  ends_.push_back(lines_.size());
}

std::size_t l2_bytes() {
  return number_of_environment("CPU_BACKEND_L2", kL2Line, std::size_t{60} << 20, "bytes");
}

void reset_l2_logs() {
  const std::lock_guard lock(l2_mutex);
  entries.clear();
}

void add_l2_log(std::uint64_t gang, std::size_t blocks, L2Log log) {
  if (log.requests() == 0) return;
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

}  // namespace runtime
