// Every device intrinsic on this backend, against what the instruction's definition says. With
// INTRINSICS_RECORD=FILE a line per case, "name count crc32 ok|WRONG", is written: count and CRC-32
// of the words that came out. compare.py holds the records of two backends against each other.

#include "intrinsics.hpp"

#include <test/backend.hpp>
#include <test/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>

namespace intrinsics {

Cases& all_cases() {
  static Cases cases;
  return cases;
}

namespace {

// Of the words as bytes in little-endian order; the polynomial of zlib and PNG.
std::uint32_t crc32(const Words& words) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint32_t word : words) {
    crc ^= word;  // four bytes at once: the lowest one is the first
    for (int bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

// Why the outcome is not what it should be; empty when it is. No words, or the same word
// throughout, prove nothing and are not right either.
std::string fault_of(const Outcome& outcome) {
  const auto& [got, expected] = outcome;
  if (got.size() != expected.size()) return "another number of words";
  const auto [first, wanted] = std::mismatch(got.begin(), got.end(), expected.begin());
  if (first != got.end()) {
    char text[80];
    std::snprintf(text, sizeof text, "word %td is %08x, expected %08x", first - got.begin(), *first,
                  *wanted);
    return text;
  }
  return std::set<std::uint32_t>(got.begin(), got.end()).size() < 2 ? "all words are equal" : "";
}

// Under each policy; what came out under the first that it fails under, or under all.
std::string run_case(const Case& one, Words& got) {
  for (const std::string& policy : test::all_policies()) {
    test::set_policy(policy);
    std::string fault;
    try {
      Random random(one.name);
      const Outcome outcome = one.run(random);
      got = outcome.got;
      fault = fault_of(outcome);
    } catch (const std::exception& error) {
      got.clear();
      fault = error.what();
    }
    if (!fault.empty()) return "under " + policy + ": " + fault;
  }
  return "";
}

}  // namespace

TEST_CASE("device intrinsics") {
  if (test::compute_capability().value_or(90) != 90) {
    WARN("not run: wgmma and the rest of sm_90a need compute capability 9.0");
    return;
  }
  const char* path = std::getenv("INTRINSICS_RECORD");
  std::FILE* record = path == nullptr ? nullptr : std::fopen(path, "w");
  REQUIRE((path == nullptr || record != nullptr));
  for (const Case& one : all_cases()) {
    INFO(one.name);
    Words got;
    const std::string fault = run_case(one, got);
    CHECK(fault == "");
    if (record == nullptr) continue;
    std::fprintf(record, "%s %zu %08x %s\n", one.name.c_str(), got.size(), crc32(got),
                 fault.empty() ? "ok" : "WRONG");
    std::fflush(record);  // so that a program that hangs or dies has said how far it came
  }
  if (record != nullptr) std::fclose(record);
  test::set_policy(test::all_policies().front());
}

}  // namespace intrinsics
