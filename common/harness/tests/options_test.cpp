#include <test/catch.hpp>

#include <harness/job.hpp>

#include <core/error.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace harness;

Options parse(const std::string& command_line) {
  std::istringstream words(command_line);
  std::vector<std::string> arguments = {"program"};
  for (std::string word; words >> word;) arguments.push_back(word);
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return harness::parse_options(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

TEST_CASE("options: what is not given has its default") {
  const Options o = parse("");
  CHECK(o.shapes.empty());
  CHECK_FALSE((o.check || o.bench || o.cold));
  CHECK(o.dtype == "bf16");
  CHECK(o.layout == "tn");
  CHECK(o.split == 1);
  CHECK(parse("--help").help.find("Exit status") != std::string::npos);
}

TEST_CASE("options: what is given is taken") {
  CHECK(parse("--size 64,128 --size 32").shapes ==
        std::vector<Shape>{{64, 64, 64}, {128, 128, 128}, {32, 32, 32}});
  CHECK(parse("--shape 4x5x6,7x8x0 --check").shapes == std::vector<Shape>{{4, 5, 6}, {7, 8, 0}});
  CHECK(Shape{4, 4, 4}.text() == "4");
  CHECK(Shape{4, 5, 6}.text() == "4x5x6");
  const Options o = parse(
      "--dtype fp16 --backend cpu --check --async random:7 --variant a --variant b --chapter c "
      "--layout nt --epilogue bias_relu --split 3");
  CHECK(o.dtype == "fp16");
  CHECK(o.backend == "cpu");
  CHECK(o.async == "random:7");
  CHECK(o.variants == std::vector<std::string>{"a", "b"});
  CHECK(o.chapters == std::vector<std::string>{"c"});
  CHECK(o.layout == "nt");
  CHECK(o.epilogue == "bias_relu");
  CHECK(o.split == 3);
  const Options timed = parse("--bench --mode sustained --rounds 5 --cold --json x.json");
  CHECK(timed.mode == "sustained");
  CHECK(timed.rounds == 5);
  CHECK(timed.cold);
  CHECK(timed.json == "x.json");
}

TEST_CASE("options: bad ones are refused in one line that names the option") {
  using Row = std::pair<const char*, const char*>;
  const auto [command_line, said] = GENERATE(values<Row>({
      {"--size -4", "--size"},
      {"--size banana", "banana"},
      {"--size 4.5", "4.5"},
      {"--size 99999999999999999999", "--size"},
      {"--size 2147483648", "2147418112"},
      {"--size", "--size"},
      {"--sizes 4", "--sizes"},
      {"banana", "banana"},
      {"--shape 10x10", "MxNxK"},
      {"--shape 10x10x", "--shape"},
      {"--shape 10x-3x5", "--shape"},
      {"--rounds 0", "--rounds"},
      {"--split -1", "--split"},
      {"--async random:x", "--async"},
      {"--async sometimes", "random:SEED"},
      {"--dtype fp64", "bf16"},
      {"--mode cold", "burst"},
      {"--backend tpu", "cuda"},
      {"--layout xx", "tn"},
      {"--epilogue gelu", "alpha_beta"},
      {"--mode burst --mode sustained --bench", "--mode"},
      {"--json a --json b --bench", "--json"},
      {"--size 4 --shape 1x2x3", "--shape"},
      {"--bench --size 0", "no speed"},
      {"--check --mode burst", "--mode"},
      {"--check --rounds 3", "--rounds"},
      {"--check --cold", "--cold"},
      {"--check --json x", "--json"},
      {"--counters --cold", "--cold"},
      {"--counters --bench", "--counters"},
      {"--counters --backend cuda", "--counters"},
      {"--async late --backend cuda", "--async"},
      {"--variant all --variant x", "--variant"},
      {"--tune --ablation", "--tune"},
      {"--tune --variant x", "--variant"},
  }));
  CAPTURE(command_line);
  std::string line;
  try {
    parse(command_line);
  } catch (const core::Refused& reason) {
    line = reason.what();
  }
  CHECK(line.find(said) != std::string::npos);
  CHECK(line.find('\n') == std::string::npos);
}

TEST_CASE("layout letters give majors and leading dimensions") {
  const gemm::Problem nt = problem_of(parse("--layout nt"), {4, 5, 6});
  CHECK((nt.a_major == gemm::Major::kMn && nt.b_major == gemm::Major::kMn));
  CHECK((nt.lda == 4 && nt.ldb == 5));
  const gemm::Problem tn = problem_of({}, {4, 5, 6});
  CHECK((tn.a_major == gemm::Major::kK && tn.b_major == gemm::Major::kK));
  CHECK((tn.lda == 6 && tn.ldc == 5));
}

TEST_CASE("a chapter that needs more than the GPU has says what") {
  const Chapter simple{.name = "01_one", .title = "", .idea = ""};
  Chapter wgmma{.name = "02_two", .title = "", .idea = ""};
  wgmma.ceiling = Ceiling::kWgmma;
  wgmma.min_compute_capability = 90;
  CHECK_FALSE(why_unsupported(wgmma, 90).has_value());
  CHECK_FALSE(why_unsupported(wgmma, std::nullopt).has_value());  // the CPU backend
  CHECK(why_unsupported(wgmma, 86) == "02_two: needs compute capability 9.0; this GPU has 8.6");
  CHECK(why_unsupported(wgmma, 120) ==
        "02_two: needs compute capability 9.0, the only one with wgmma; this GPU has 12.0");
  CHECK_FALSE(why_unsupported(simple, 120).has_value());
}
