#include <runtime/report.hpp>

#include <runtime/block.hpp>

namespace runtime {

std::string text(const uint3& index) {
  std::string out = "(";  // g++ 12 warns of "(" + std::string by mistake
  return out.append(std::to_string(index.x))
      .append(",")
      .append(std::to_string(index.y))
      .append(",")
      .append(std::to_string(index.z))
      .append(")");
}

std::string place_of(const Thread& thread) {
  std::string out = "(block ";
  return out.append(text(thread.warp->block->index))
      .append(", thread ")
      .append(std::to_string(thread.number))
      .append(")");
}

std::string ranges(const std::vector<unsigned>& numbers) {
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
    Group* group = nullptr;
    for (Group& candidate : groups) {
      if (candidate.wait.on == thread.wait.on && candidate.wait.where == thread.wait.where &&
          candidate.description == description) {
        group = &candidate;
      }
    }
    if (group == nullptr) group = &groups.emplace_back(Group{thread.wait, description, {}});
    group->threads.push_back(thread.number);
  }
  const auto name = [&](const std::vector<unsigned>& threads) {
    std::string line = "\n  block ";
    return line.append(text(block.index))
        .append(threads.size() == 1 ? " thread " : " threads ")
        .append(ranges(threads));
  };
  for (const Group& group : groups) {
    out += name(group.threads) + (group.threads.size() == 1 ? " waits at " : " wait at ") +
           text(group.wait.where) + " " + group.description;
  }
  if (!exited.empty()) out += name(exited) + (exited.size() == 1 ? " has exited" : " have exited");
}

}  // namespace

std::string deadlock_report(const std::vector<Block>& blocks) {
  std::string out = "deadlock: no thread can move";
  for (const Block& block : blocks) report_block(block, out);
  return out;
}

}  // namespace runtime
