#include <runtime/report.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>

#include <algorithm>
#include <fstream>

namespace runtime {

std::string text(const uint3& index) {
  return join("(", index.x, ",", index.y, ",", index.z, ")");
}

std::string place_of(const Thread& thread) {
  return join("(block ", thread.warp->block->index, ", thread ", thread.number, ")");
}

std::string running_place() {
  return current.thread != nullptr ? place_of(*current.thread) : "(outside a kernel)";
}

std::string source_line(Site where, std::size_t columns) {
  const auto trimmed = [](const std::string& text) -> std::string {
    constexpr const char* kBlanks = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  };
  std::ifstream file(where.file);
  std::string line, next;
  for (unsigned number = 0; number < where.line; ++number) {
    if (!std::getline(file, line)) return "";
  }
  line = trimmed(line);
  // A call that goes on in the next line.
  while (!line.empty() && line.size() < columns && (line.back() == ',' || line.back() == '(') &&
         std::getline(file, next)) {
    if (line.back() == ',') line += ' ';
    line += trimmed(next);
  }
  if (line.size() > columns) line = line.substr(0, columns - 3) + "...";
  return line;
}

// The same as a line of its own below an error: "\n      kernel.cuh:90  full.wait(phase);"
static std::string quote(Site where) {
  constexpr std::size_t kColumns = 88, kLeastOfLine = 20;
  const std::string whole = text(where);
  std::string out = "\n      ";
  out.append(whole, whole.rfind('/') + 1).append("  ");  // the folder stands one line above
  const std::size_t left =
      out.size() + kLeastOfLine < kColumns ? kColumns - out.size() : kLeastOfLine;
  const std::string line = source_line(where, left);
  return line.empty() ? line : out.append(line);
}

void fail_as(const std::string& who, Site where, const std::string& what) {
  throw core::DeviceError(join(where, ": ", what, who.empty() ? "" : " ", who, quote(where)));
}

static std::string ranges(const std::vector<unsigned>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!out.empty()) out += ", ";
    out += std::to_string(numbers[i]);
    if (last > i) out.append("-").append(std::to_string(numbers[last]));
    i = last + 1;
  }
  return out;
}

std::string lane_ranges(std::uint32_t mask) {
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (mask >> lane & 1) lanes.push_back(lane);
  }
  return ranges(lanes);
}

namespace {

struct Group {
  Wait wait;
  std::string description;
  std::vector<unsigned> threads;
};

void report_block(const Block& block, std::string& out) {
  std::vector<Group> groups;
  std::vector<unsigned> exited;
  for (const Thread& thread : block.threads) {
    if (thread.state == Thread::State::kExited) exited.push_back(thread.number);
    if (thread.state != Thread::State::kWaiting) continue;
    const std::string description = thread.wait.on->describe(thread);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.wait.on == thread.wait.on && known.wait.where == thread.wait.where &&
             known.description == description;
    });
    if (group == groups.end()) group = groups.insert(group, {thread.wait, description, {}});
    group->threads.push_back(thread.number);
  }
  const auto name = [&](const std::vector<unsigned>& threads) {
    return join("\n  block ", block.index, threads.size() == 1 ? " thread " : " threads ",
                ranges(threads));
  };
  for (const Group& group : groups) {
    out += name(group.threads) + (group.threads.size() == 1 ? " waits at " : " wait at ") +
           text(group.wait.where) + " " + group.description + quote(group.wait.where);
  }
  if (!exited.empty()) out += name(exited) + (exited.size() == 1 ? " has exited" : " have exited");
}

// What keeps everybody waiting, as far as the state proves it; empty otherwise.
std::string likely_cause(const std::vector<Block>& blocks) {
  std::vector<const Waitable*> all;            // that somebody waits for, each once
  std::vector<const MbarrierState*> barriers;  // the mbarriers among them
  std::string other;                           // of those that may only be a consequence
  for (const Block& block : blocks) {
    for (const Thread& thread : block.threads) {
      if (thread.state != Thread::State::kWaiting) continue;
      const Waitable* on = thread.wait.on;
      if (std::find(all.begin(), all.end(), on) != all.end()) continue;
      all.push_back(on);
      const auto* barrier = dynamic_cast<const MbarrierState*>(on);
      if (barrier != nullptr) barriers.push_back(barrier);
      const std::string cause = on->likely_cause(thread);
      if (barrier != nullptr && !cause.empty()) return cause;
      if (other.empty()) other = cause;
    }
  }
  if (!other.empty()) return other;
  const bool all_fresh = std::all_of(barriers.begin(), barriers.end(),
                                     [](const MbarrierState* barrier) { return barrier->fresh(); });
  if (barriers.size() > 1 && all_fresh) {
    return "no mbarrier that is waited for has seen an arrival yet; if the threads wait for each "
           "other, the first wait for a free stage should pass: parity 1, on a fresh mbarrier";
  }
  if (all.size() == 1 && barriers.size() == 1) {
    return "all threads that are left wait for " + barriers.front()->name() +
           ", so nobody can arrive: an arrive is missing, or it stands behind the wait";
  }
  return "";
}

}  // namespace

std::string deadlock_report(const std::vector<Block>& blocks) {
  std::string out = "deadlock: no thread can move";
  for (const Block& block : blocks) report_block(block, out);
  const std::string cause = likely_cause(blocks);
  if (!cause.empty()) out += "\n  likely cause: " + cause;
  return out;
}

}  // namespace runtime
