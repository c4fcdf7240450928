#pragma once
// One line per case, "name count crc32 ok|WRONG", in the file that the environment variable
// WORDS_RECORD names: count and CRC-32 of the words that came out. compare_records.py holds the
// records of two backends against each other.

#include "case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace words {

// Of the words as bytes in little-endian order; the polynomial of zlib and PNG.
std::uint32_t crc32(const std::vector<std::uint32_t>& words);

// Why the outcome is not what it should be, beginning with the first word that differs; empty when
// it is. No words, or the same word throughout, prove nothing and are not right either.
std::string fault_of(const Outcome& outcome);

// Written at once, so that a program that hangs or dies has said how far it came.
void record(const std::string& name, const std::vector<std::uint32_t>& got, bool right);

}  // namespace words
