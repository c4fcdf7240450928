#include "exhibits.hpp"

#include <algorithm>
#include <sstream>

namespace gallery {

static std::string_view name(Ending ending) {
  constexpr std::string_view kNames[] = {"not noticed", "wrong result", "named"};
  return kNames[static_cast<int>(ending)];
}

static std::string wrapped_line(const std::string& line, std::size_t columns) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (line.size() <= columns || indent >= 6) return line;
  std::istringstream words(line);
  std::string out, word;
  std::string current(indent, ' ');
  bool first = true;
  while (words >> word) {
    if (!first && current.size() + 1 + word.size() > columns) {
      out += current + "\n";
      current.assign(indent + 2, ' ');
      first = true;
    }
    current += (first ? "" : " ") + word;
    first = false;
  }
  return out + current;
}

// One cell per policy, the random seeds together: "named", or "named (2 of 3)" when seeds differ.
static std::vector<std::string> cells(const Result& result) {
  std::vector<std::string> out;
  const std::size_t random = result.outcomes.size() - kRandomSeeds;
  for (std::size_t i = 0; i < random; ++i) out.emplace_back(name(result.outcomes[i].ending));
  const auto begin = result.outcomes.begin() + static_cast<long>(random);
  const auto best =
      std::max_element(begin, result.outcomes.end(),
                       [](const Outcome& a, const Outcome& b) { return a.ending < b.ending; });
  const auto count = std::count_if(begin, result.outcomes.end(), [&](const Outcome& outcome) {
    return outcome.ending == best->ending;
  });
  out.emplace_back(name(best->ending));
  if (count < kRandomSeeds) {
    out.back() += " (" + std::to_string(count) + " of " + std::to_string(kRandomSeeds) + ")";
  }
  return out;
}

// Where a closing remark in brackets begins, " (released too early?)", or else the end.
static std::size_t remark(const std::string& line) {
  if (line.empty() || line.back() != ')') return line.size();
  int depth = 0;
  for (std::size_t at = line.size(); at-- > 0;) {
    depth += line[at] == ')' ? 1 : line[at] == '(' ? -1 : 0;
    if (depth == 0) return at > 0 && line[at - 1] == ' ' ? at - 1 : line.size();
  }
  return line.size();
}

static std::string padded(std::string text, std::size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  std::string out, line;
  while (std::getline(lines, line)) {
    if (!out.empty()) out += "\n";
    out += wrapped_line(line, columns);
  }
  return out;
}

std::string essence(const std::string& message) {
  const std::string cause = "likely cause: ";
  const std::size_t found = message.find(cause);
  std::string line = message.substr(0, message.find('\n'));
  if (found != std::string::npos) {
    const std::size_t begin = found + cause.size();
    return "deadlock: " + message.substr(begin, message.find('\n', begin) - begin);
  }
  const std::size_t place = line.rfind(" (block ");
  if (place != std::string::npos) line.resize(place);
  line.resize(remark(line));
  const std::string folder = "gallery/";
  for (std::size_t at; (at = line.find(folder)) != std::string::npos;)
    line.erase(at, folder.size());
  return line;
}

std::string verdict(const Result& result) {
  const Outcome& best = result.outcomes[result.best()];
  if (best.ending == Ending::kNamed) return essence(best.message);
  if (best.ending == Ending::kNotNoticed) return "not noticed";
  return std::to_string(best.wrong) + " of " + std::to_string(result.exhibit->results) +
         " results are wrong";
}

std::string text_table(const std::vector<Result>& results) {
  constexpr std::size_t kName = 24, kCell = 14;
  std::string out = padded("bug", kName);
  for (const char* head : {"late", "early", "mix"}) out += padded(head, kCell);
  out += "random (3 seeds)\n";
  for (const Result& result : results) {
    out += padded(result.exhibit->name, kName);
    const std::vector<std::string> row = cells(result);
    for (std::size_t i = 0; i + 1 < row.size(); ++i) out += padded(row[i], kCell);
    out += row.back() + "\n";
  }
  return out;
}

std::string markdown_table(const std::vector<Result>& results) {
  std::string out =
      "| kernel | planted bug | late | early | mix | random (3 seeds) | what is said |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Result& result : results) {
    out += "| " + result.exhibit->kernel + " | `" + result.exhibit->name +
           "`: " + result.exhibit->planted;
    for (const std::string& cell : cells(result)) out += " | " + cell;
    const bool named = result.outcomes[result.best()].ending == Ending::kNamed;
    out += named ? " | `" + verdict(result) + "` |\n" : " | " + verdict(result) + " |\n";
  }
  return out;
}

}  // namespace gallery
