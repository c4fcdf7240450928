#include <test/catch.hpp>

#include <harness/tables.hpp>

using namespace harness;

namespace {

Row measured(const std::string& chapter, double gflops) {
  Row row;
  row.chapter = chapter;
  row.variant = kDefaultVariant;
  row.shape = {4096, 4096, 4096};
  row.mode = "burst";
  row.gflops_median = row.gflops_lo = row.gflops_hi = gflops;
  row.cublas_gflops = 800000;
  return row;
}

}  // namespace

TEST_CASE("the speed table compares with the chapter before, cuBLAS and the ceiling") {
  Chapter one{.name = "01_one", .title = "One", .idea = ""},
      two{.name = "02_two", .title = "Two", .idea = ""};
  one.variants = two.variants = {{"plain", "", nullptr}};
  Results results;
  results.chapters = {&one, &two};
  results.ceilings.ffma = 64000;
  const std::string text =
      speed_table(results, {measured("01_one", 500), measured("02_two", 32000)});
  CHECK(text.find("TFLOPS") != std::string::npos);
  CHECK(text.find("64.0x") != std::string::npos);  // 32000 over 500
  CHECK(text.find("4.0%") != std::string::npos);   // of cuBLAS
  CHECK(text.find("50.0%") != std::string::npos);  // of the ceiling
  CHECK(text.find("plain") != std::string::npos);  // the variant's own name
  CHECK(text.find('\x1b') == std::string::npos);

  Row left_out = measured("01_one", 0);
  left_out.skipped = "left out: one launch would take about 2.2 s";
  const std::string partial = speed_table(results, {left_out, measured("02_two", 32000)});
  CHECK(partial.find("about 2.2 s\n") != std::string::npos);
  CHECK(partial.find("64.0x") == std::string::npos);

  const std::string small = speed_table(results, {measured("01_one", 512)});
  CHECK(small.find("GFLOPS") != std::string::npos);
}
