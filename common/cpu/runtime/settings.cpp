#include <runtime/settings.hpp>

#include <core/error.hpp>
#include <runtime/report.hpp>
#include <runtime/sanitizer.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace runtime {

namespace {

constexpr std::size_t kDefaultStack = (kAddressSanitizer ? 4 : 1) * std::size_t{64} * 1024;

std::mutex policy_mutex;
Policy policy_now;
std::atomic<int> workers_now{0};
std::atomic<std::size_t> stack_now{kDefaultStack};

// All of the text must be the number: from_chars alone would take "7x".
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::size_t number_of_environment(const char* name, std::size_t least, std::size_t otherwise,
                                  const char* what) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::size_t number = 0;
  if (parse_number(text, number) && number >= least) return number;
  throw core::Refused(join(name, "=", text, ": expected ", what, ", ", least, " or more"));
}

constexpr std::string_view kNames[] = {"late", "early", "mix"};  // by Completion
constexpr std::string_view kRandom = "random:";

Policy parse_policy(std::string_view text) {
  const auto* known = std::find(std::begin(kNames), std::end(kNames), text);
  if (known != std::end(kNames)) return {static_cast<Completion>(known - kNames)};
  Policy policy{Completion::kRandom};
  if (text.substr(0, kRandom.size()) == kRandom &&
      parse_number(text.substr(kRandom.size()), policy.seed)) {
    return policy;
  }
  throw core::Refused(
      join("completion policy '", text, "': expected late, early, mix or random:SEED"));
}

std::string to_string(const Policy& policy) {
  if (policy.completion == Completion::kRandom) return join(kRandom, policy.seed);
  return std::string(kNames[static_cast<int>(policy.completion)]);
}

void set_policy(std::string_view text) {
  set_policy(parse_policy(text));
}

void set_policy(const Policy& policy) {
  const std::lock_guard lock(policy_mutex);
  policy_now = policy;
}

Policy policy() {
  const std::lock_guard lock(policy_mutex);
  return policy_now;
}

void set_workers(int count) {
  if (count < 0) throw core::Refused(join("worker count ", count, ": is negative"));
  workers_now = count;
}

int workers() {
  if (workers_now > 0) return workers_now;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  constexpr std::size_t kMost = 1 << 20;
  return static_cast<int>(std::min(
      kMost, number_of_environment("CPU_BACKEND_WORKERS", 1, cores, "a number of threads")));
}

void set_stack_bytes(std::size_t bytes) {
  if (bytes < 16 * 1024) {
    throw core::Refused(join("stack of ", bytes, " bytes: at least 16384 are needed"));
  }
  stack_now = bytes;
}

std::size_t stack_bytes() {
  return stack_now;
}

}  // namespace runtime
