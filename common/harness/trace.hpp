#pragma once
// What one block did, as a Chrome trace: JSON that https://ui.perfetto.dev and chrome://tracing
// open. A nanosecond there is a cycle of the SM, on the CPU backend a turn of a thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

struct Trace {
  struct Span {
    std::size_t track;
    std::string name;
    std::uint64_t begin, end;
  };
  struct Flow {
    std::size_t from, to;  // numbers of spans
  };
  std::vector<std::string> tracks;  // from top to bottom
  std::vector<Span> spans;          // those of one track lie behind one another
  std::vector<Flow> flows;

  // Adds a span, and returns its number.
  std::size_t add(std::size_t track, const std::string& name, std::uint64_t begin,
                  std::uint64_t end) {
    spans.push_back({track, name, begin, end});
    return spans.size() - 1;
  }
  std::string json(const std::string& title) const;
};

}  // namespace harness
