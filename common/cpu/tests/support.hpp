#pragma once
// What the CPU backend's tests share.

#include <gpu/host.hpp>
#include <gpu/launch.hpp>

#include <core/error.hpp>
#include <runtime/settings.hpp>
#include <test/catch.hpp>
#include <test/device_array.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

using test::DeviceArray;

// The message of the core::DeviceError that the call throws; fails the test when it throws none.
template <class Call>
std::string device_error_of(const Call& call) {
  try {
    call();
  } catch (const core::DeviceError& error) {
    return error.what();
  }
  FAIL("expected a core::DeviceError");
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A message without the source lines that it quotes.
inline std::string unquoted(const std::string& message) {
  std::string out;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size() - 1) + 1;
    if (message.compare(begin, 6, "      ") != 0) out += message.substr(begin, end - begin);
    begin = end;
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

// "tests/FILE:LINE", as reports name a place in this folder.
inline std::string place(const char* file, int line) {
  return std::string("tests/") + file + ":" + std::to_string(line);
}

// Puts the settings back when a test ends.
struct KeepSettings {
  runtime::Policy policy = runtime::policy();
  std::size_t stack_bytes = runtime::stack_bytes();
  ~KeepSettings() {
    runtime::set_policy(policy);
    runtime::set_workers(0);
    runtime::set_stack_bytes(stack_bytes);
  }
};
