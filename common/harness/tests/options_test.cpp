#include <test/catch.hpp>

#include <harness/options.hpp>

#include <core/error.hpp>

#include <string>
#include <vector>

namespace {

using harness::Options;
using harness::Shape;

Options parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"program"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return harness::parse_options(static_cast<int>(argv.size()), argv.data());
}

// The one line with which the arguments are refused, "" when they are not.
std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const core::Refused& reason) {
    return reason.what();
  }
  return "";
}

bool says(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos && line.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("nothing asked for leaves everything at its default") {
  const Options o = parse({});
  CHECK(o.shapes.empty());
  CHECK_FALSE(o.check);
  CHECK_FALSE(o.bench);
  CHECK(o.dtype == gemm::DataType::kBf16);
  CHECK_FALSE(o.backend.has_value());
  CHECK_FALSE(o.mode.has_value());
  CHECK(o.layout == "tn");
  CHECK(o.split == 1);
}

TEST_CASE("sizes and shapes") {
  CHECK(parse({"--size", "64,128"}).shapes == std::vector<Shape>{{64, 64, 64}, {128, 128, 128}});
  CHECK(parse({"--size", "64", "--size", "32"}).shapes.size() == 2);
  CHECK(parse({"--shape", "4x5x6,7x8x0", "--check"}).shapes ==
        std::vector<Shape>{{4, 5, 6}, {7, 8, 0}});
  CHECK(parse({"--check", "--size=0"}).shapes.front().empty());
  CHECK(Shape{4, 4, 4}.text() == "4");
  CHECK(Shape{4, 5, 6}.text() == "4x5x6");
}

TEST_CASE("every other option") {
  const Options o = parse({"--dtype", "fp16", "--backend", "cpu", "--check", "--async", "random:7",
                           "--variant", "a", "--variant", "b", "--chapter", "c", "--layout", "nt",
                           "--epilogue", "bias_relu", "--split", "3"});
  CHECK(o.dtype == gemm::DataType::kFp16);
  CHECK(o.backend == harness::Backend::kCpu);
  CHECK(o.async == "random:7");
  CHECK(o.variants == std::vector<std::string>{"a", "b"});
  CHECK(o.chapters == std::vector<std::string>{"c"});
  CHECK(o.layout == "nt");
  CHECK(o.epilogue == "bias_relu");
  CHECK(o.split == 3);
  const Options timed =
      parse({"--bench", "--mode", "sustained", "--rounds", "5", "--json", "x.json"});
  CHECK(timed.mode == harness::Mode::kSustained);
  CHECK(timed.rounds == 5);
  CHECK(!timed.cold);
  CHECK(parse({"--bench", "--cold"}).cold);
  CHECK(timed.json == "x.json");
}

TEST_CASE("help is a text with examples") {
  const Options o = parse({"--help"});
  REQUIRE(o.help.has_value());
  for (const char* part : {"--size", "--async", "--ablation", "Examples:", "Exit status"}) {
    CHECK(o.help->find(part) != std::string::npos);
  }
}

TEST_CASE("bad numbers are refused with the flag, the value and the rule") {
  CHECK(says(refusal({"--size", "-4"}), "--size -4: must not be negative"));
  CHECK(says(refusal({"--size", "banana"}), "--size banana: 'banana' is not a whole number"));
  CHECK(says(refusal({"--size", "64,,64"}), "'' is not a whole number"));
  CHECK(says(refusal({"--size", "4.5"}), "not a whole number"));
  CHECK(says(refusal({"--size", "99999999999999999999"}), "the most is 2147418112"));
  CHECK(says(refusal({"--size", "-99999999999999999999"}), "must not be negative"));
  CHECK(says(refusal({"--size", "2147483648"}), "the most is 2147418112"));
  CHECK(says(refusal({"--shape", "10x10"}), "--shape 10x10: must be MxNxK"));
  CHECK(says(refusal({"--shape", "10x10x"}), "'' is not a whole number"));
  CHECK(says(refusal({"--shape", "10x-3x5"}), "must not be negative"));
  CHECK(says(refusal({"--rounds", "0"}), "--rounds 0: the least is 1"));
  CHECK(says(refusal({"--split", "-1"}), "--split -1: the least is 1"));
  CHECK(says(refusal({"--async", "random:x"}), "'x' is not a whole number"));
}

TEST_CASE("unknown words are refused") {
  CHECK(says(refusal({"--sizes", "4"}), "--sizes"));
  CHECK(says(refusal({"banana"}), "banana"));
  CHECK(says(refusal({"--size"}), "--size"));
  CHECK(says(refusal({"--dtype", "fp64"}), "--dtype fp64: must be one of bf16, fp16"));
  CHECK(says(refusal({"--mode", "cold"}), "must be one of burst, sustained"));
  CHECK(says(refusal({"--backend", "tpu"}), "must be one of cuda, cpu"));
  CHECK(says(refusal({"--layout", "xx"}), "must be one of tn, nn, nt, tt"));
  CHECK(says(refusal({"--epilogue", "gelu"}), "must be one of identity, alpha_beta, bias_relu"));
  CHECK(says(refusal({"--async", "sometimes"}), "must be one of late, early, mix, random:SEED"));
  CHECK(says(refusal({"--json", ""}), "--json"));
}

TEST_CASE("contradictions are refused") {
  CHECK(says(refusal({"--mode", "burst", "--mode", "sustained"}), "contradicts --mode burst"));
  CHECK(refusal({"--mode", "burst", "--mode", "burst"}).empty());
  CHECK(says(refusal({"--json", "a", "--json", "b"}), "contradicts --json a"));
  CHECK(says(refusal({"--size", "4", "--shape", "1x2x3"}), "one of the two"));
  CHECK(says(refusal({"--bench", "--size", "0"}), "empty problem has no speed"));
  CHECK(says(refusal({"--bench", "--shape", "4x0x4"}), "empty problem has no speed"));
  CHECK(says(refusal({"--check", "--mode", "burst"}), "--mode"));
  CHECK(says(refusal({"--check", "--rounds", "3"}), "--rounds"));
  CHECK(says(refusal({"--check", "--cold"}), "--cold"));
  CHECK(says(refusal({"--counters", "--cold"}), "--cold"));
  CHECK(says(refusal({"--check", "--json", "x"}), "--json"));
  CHECK(says(refusal({"--counters", "--bench"}), "--counters"));
  CHECK(says(refusal({"--counters", "--backend", "cuda"}), "--counters"));
  CHECK(says(refusal({"--async", "late", "--backend", "cuda"}), "--async"));
  CHECK(says(refusal({"--variant", "all", "--variant", "x"}), "--variant all"));
  CHECK(says(refusal({"--tune", "--ablation"}), "one of the two"));
  CHECK(says(refusal({"--tune", "--variant", "x"}), "--variant"));
}
