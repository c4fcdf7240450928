#include "exhibits.hpp"

#include <core/error.hpp>
#include <runtime/settings.hpp>

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

namespace gallery {

const std::vector<Exhibit>& exhibits() {
  static const std::vector<Exhibit> all = [] {
    std::vector<Exhibit> out = rings();
    for (Exhibit& exhibit : layouts()) out.push_back(std::move(exhibit));
    return out;
  }();
  return all;
}

Outcome run(const Exhibit& exhibit, const std::string& policy) {
  const runtime::Policy before = runtime::policy();
  runtime::set_policy(policy);
  Outcome outcome;
  try {
    outcome.wrong = exhibit.run();
    outcome.ending = outcome.wrong > 0 ? Ending::kWrongResult : Ending::kNotNoticed;
  } catch (const core::DeviceError& error) {
    outcome = {Ending::kNamed, 0, error.what()};
  }
  runtime::set_policy(before);
  return outcome;
}

Result run_all(const Exhibit& exhibit) {
  Result result{&exhibit, {}};
  for (const std::string& policy : kPolicies) result.outcomes.push_back(run(exhibit, policy));
  return result;
}

std::vector<Result> run_all() {
  std::vector<Result> results;
  for (const Exhibit& exhibit : exhibits()) results.push_back(run_all(exhibit));
  return results;
}

static bool worse(const Outcome& a, const Outcome& b) {
  return a.ending < b.ending;
}

std::size_t Result::best() const {
  return std::max_element(outcomes.begin(), outcomes.end(), worse) - outcomes.begin();
}

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
  const auto best = std::max_element(begin, result.outcomes.end(), worse);
  const auto count = std::count_if(begin, result.outcomes.end(), [&](const Outcome& outcome) {
    return outcome.ending == best->ending;
  });
  out.emplace_back(name(best->ending));
  if (count < kRandomSeeds) {
    out.back() += " (" + std::to_string(count) + " of " + std::to_string(kRandomSeeds) + ")";
  }
  return out;
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

// What a message is about, in one line: without block, thread and closing remark in brackets; of a
// deadlock the likely cause.
static std::string essence(const std::string& message) {
  const std::string cause = "likely cause: ";
  const std::size_t found = message.find(cause);
  std::string line = message.substr(0, message.find('\n'));
  if (found != std::string::npos) {
    const std::size_t begin = found + cause.size();
    return "deadlock: " + message.substr(begin, message.find('\n', begin) - begin);
  }
  line.resize(std::min(line.size(), line.rfind(" (block ")));
  // A closing remark in brackets, which may hold others: " (released too early?)".
  static const std::regex remark(R"( \(([^()]|\([^()]*\))*\)$)"), folder("gallery/");
  return std::regex_replace(std::regex_replace(line, remark, ""), folder, "");
}

std::string verdict(const Result& result) {
  const Outcome& best = result.outcomes[result.best()];
  if (best.ending == Ending::kNamed) return essence(best.message);
  if (best.ending == Ending::kNotNoticed) return "not noticed";
  return std::to_string(best.wrong) + " of " + std::to_string(result.exhibit->results) +
         " results are wrong";
}

std::string policies_line(const Result& result) {
  const std::vector<std::string> row = cells(result);
  return "late: " + row[0] + ", early: " + row[1] + ", mix: " + row[2] + ", random: " + row[3];
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
