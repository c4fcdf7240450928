#pragma once
// What the tests of the counters share.

#include <runtime/counters.hpp>
#include <test/catch.hpp>

#include <map>
#include <string>

using Counters = std::map<std::string, double>;

template <class Run>
Counters counters_after(const Run& run) {
  runtime::reset_counters();
  run();
  Counters out;
  for (const auto& [name, value] : runtime::read_counters()) out[name] = value;
  return out;
}

// Requests, sectors or wavefronts, and bytes of one direction.
struct Count {
  double requests, units, bytes;
};
inline constexpr Count kNone = {0, 0, 0};

inline void check(const Counters& counters, const std::string& name, Count expected) {
  const bool global = name.find("global") != std::string::npos;
  const std::string unit = global ? "_sectors" : "_wavefronts";
  CAPTURE(name);
  CHECK(counters.at(name + "_requests") == expected.requests);
  CHECK(counters.at(name + unit) == expected.units);
  CHECK(counters.at(name + "_bytes") == expected.bytes);
  const double ratio = expected.requests > 0 ? expected.units / expected.requests : 0;
  CHECK(counters.at(name + unit + "_per_request") == ratio);
}
