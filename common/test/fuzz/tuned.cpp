// The file of tuned choices that a program reads, put together from the words of the command line.

#include "fuzz.hpp"

#include <core/program.hpp>
#include <harness/tuned.hpp>

#include <cstdio>
#include <fstream>

namespace {

// What is read and written again is the same when it is read once more.
int read_twice() {
  const harness::Tuned once = harness::Tuned::read("given.json");
  std::ofstream("again.json") << once.text();
  const bool same = harness::Tuned::read("again.json").text() == once.text();
  std::remove("given.json");
  return same ? core::kRight : core::kWrongResult;
}

int run(int argc, char** argv) {
  {
    std::ofstream file("given.json");
    for (int i = 1; i < argc; ++i) file << argv[i];
  }
  const int status = core::run_main("tuned", read_twice);
  std::remove("given.json");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string choice =
      R"({"device": "NVIDIA H200", "chapter": "09_hilbert_schedule", "dtype": "bf16", )"
      R"("m": 4096, "n": 64, "k": 1, "variant": "wide", "gflops": 8.5e5})";
  const std::string odd =
      R"({"device": "x", "chapter": "y", "dtype": "bf16", "m": -1, "n": 1e308, )"
      R"("k": 9223372036854775808, "variant": "", "gflops": 1e999})";
  const std::string begin = R"({"schema": 1, "choices": [)";
  const fuzz::Target target{
      .name = "tuned",
      .run = run,
      .flags = {{"", {begin + choice + "]}", begin + choice + ", " + choice + "]}"}},
                {"", {begin + odd + "]}", begin + "]}", "{}", "[]", "null", ""}},
                {"", {begin, choice, "]}", R"({"schema": 2})", "[[[[[[", "\"\\ud800\""}},
                {"", {begin + choice + "]}"}}},
      .long_run = [](const fuzz::Arguments&) { return false; }};
  return fuzz::fuzz_main(argc, argv, target);
}
