#include "record.hpp"

#include <core/error.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace words {

namespace {

std::string hex(std::uint32_t word) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", word);
  return text;
}

}  // namespace

std::uint32_t crc32(const std::vector<std::uint32_t>& words) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint32_t word : words) {
    crc ^= word;  // four bytes at once: the lowest one is the first
    for (int bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

std::string fault_of(const Outcome& outcome) {
  const std::vector<std::uint32_t>&got = outcome.got, &expected = outcome.expected;
  if (got.size() != expected.size()) {
    return std::to_string(got.size()) + " words, expected " + std::to_string(expected.size());
  }
  std::size_t first = got.size(), wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i]) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong > 0) {
    return "word " + std::to_string(first) + " is " + hex(got[first]) + ", expected " +
           hex(expected[first]) + "; " + std::to_string(wrong) + " of " +
           std::to_string(got.size()) + " differ";
  }
  if (got.empty()) return "no words";
  if (std::all_of(got.begin(), got.end(), [&](std::uint32_t word) { return word == got[0]; })) {
    return "all words are " + hex(got[0]);
  }
  return "";
}

void record(const std::string& name, const std::vector<std::uint32_t>& got, bool right) {
  const char* path = std::getenv("WORDS_RECORD");
  if (path == nullptr || *path == '\0') return;
  static std::ofstream file(path);
  file << name << ' ' << got.size() << ' ' << hex(crc32(got)) << (right ? " ok" : " WRONG") << '\n'
       << std::flush;
  if (!file) throw core::Refused(std::string("WORDS_RECORD=") + path + ": cannot be written");
}

}  // namespace words
