#include "exhibits.hpp"

#include <core/error.hpp>
#include <runtime/settings.hpp>

#include <algorithm>
#include <iterator>

namespace gallery {

const std::vector<Exhibit>& exhibits() {
  static const std::vector<Exhibit> all = [] {
    std::vector<Exhibit> out = waits();
    for (const auto& more : {fences(), layouts()})
      std::copy(more.begin(), more.end(), std::back_inserter(out));
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

std::size_t Result::best() const {
  const auto worse = [](const Outcome& a, const Outcome& b) { return a.ending < b.ending; };
  return std::max_element(outcomes.begin(), outcomes.end(), worse) - outcomes.begin();
}

}  // namespace gallery
