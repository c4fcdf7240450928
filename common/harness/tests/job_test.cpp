#include <test/catch.hpp>

#include <harness/job.hpp>

#include <core/error.hpp>

namespace {

using namespace harness;

struct Nothing {
  void run(gpu::Stream) const {}
};
Plan prepare_nothing(const gemm::Problem&) {
  return Nothing{};
}

std::vector<Chapter> two_chapters() {
  Chapter first{.name = "01_one", .title = "One", .idea = "the first"};
  first.variants = {{"plain", "as it is", prepare_nothing},
                    {"other", "differently", prepare_nothing}};
  Chapter second{.name = "02_two", .title = "Two", .idea = "the second"};
  second.min_compute_capability = 90;
  second.variants = {{"plain", "as it is", prepare_nothing}};
  second.layouts = {"tn", "nt"};
  second.epilogues = {"identity", "alpha_beta"};
  second.splits_k = true;
  second.tunings = {{"wide", "a wide tile", prepare_nothing}};
  second.ablations = {{"no_swizzle", "without", prepare_nothing},
                      {"no_ring", "without", prepare_nothing}};
  return {first, second};
}

std::string refusal(const Options& options, const std::vector<Chapter>& available) {
  try {
    plan_job(options, available);
  } catch (const core::Refused& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace

TEST_CASE("without names, the default variant of every chapter takes part") {
  const auto available = two_chapters();
  const Job job = plan_job({}, available);
  REQUIRE(job.kernels.size() == 2);
  CHECK(job.kernels[0].label() == "01_one plain");
  CHECK(job.kernels[0].is_default);
  CHECK(job.ladder);
  CHECK(job.leaves_out);
}

TEST_CASE("names choose chapters and variants") {
  const auto available = two_chapters();
  Options o;
  o.variants = {"all"};
  CHECK(plan_job(o, available).kernels.size() == 3);
  o.variants = {"other"};
  const Job job = plan_job(o, available);
  REQUIRE(job.kernels.size() == 1);
  CHECK_FALSE(job.kernels[0].is_default);
  CHECK(job.chapters.size() == 1);
  o.variants = {};
  o.chapters = {"02_two"};
  CHECK(plan_job(o, available).kernels.size() == 1);
  CHECK_FALSE(plan_job(o, available).leaves_out);  // who is called by name must answer
  o.leave_out = true;
  CHECK(plan_job(o, available).leaves_out);
  o.chapters = {"03_three"};
  CHECK(refusal(o, available) == "--chapter 03_three: this program holds 01_one, 02_two");
  o.chapters = {"01_one"};
  o.variants = {"none"};
  CHECK(refusal(o, available) == "--variant none: choose from plain, other");
}

TEST_CASE("what a chapter does not declare is refused") {
  const auto available = two_chapters();
  Options o;
  o.chapters = {"01_one"};
  o.layout = "nt";
  CHECK(refusal(o, available).starts_with("01_one: has no layout nt; "));
  o.layout = "tn";
  o.epilogue = "bias_relu";
  CHECK(refusal(o, available).starts_with("01_one: has no epilogue bias_relu; "));
  o.epilogue = "identity";
  o.split = 2;
  CHECK(refusal(o, available).starts_with("01_one: has no split of K (split 2); "));
  o.split = 1;
  o.tune = true;
  CHECK(refusal(o, available).find("--tune") != std::string::npos);
  o.tune = false;
  o.ablation = true;
  CHECK(refusal(o, available).find("--ablation") != std::string::npos);
}

TEST_CASE("layout letters give majors and leading dimensions") {
  Options o;
  o.layout = "nt";
  const gemm::Problem p = problem_of(o, {4, 5, 6});
  CHECK(p.a_major == gemm::Major::kMn);
  CHECK(p.b_major == gemm::Major::kMn);
  CHECK(p.lda == 4);
  CHECK(p.ldb == 5);
  o.layout = "tn";
  const gemm::Problem plain = problem_of(o, {4, 5, 6});
  CHECK(plain.a_major == gemm::Major::kK);
  CHECK(plain.b_major == gemm::Major::kK);
  CHECK(plain.lda == 6);
  CHECK(plain.ldc == 5);
}

TEST_CASE("a chapter that needs more than the GPU has says what") {
  const auto available = two_chapters();
  CHECK_FALSE(why_unsupported(available[1], 90).has_value());
  CHECK_FALSE(why_unsupported(available[1], std::nullopt).has_value());  // the CPU backend
  CHECK(why_unsupported(available[1], 86) ==
        "02_two: needs compute capability 9.0; this GPU has 8.6");
  CHECK_FALSE(why_unsupported(available[1], 100).has_value());
  Chapter with_wgmma = available[1];
  with_wgmma.ceiling = Ceiling::kWgmma;
  CHECK_FALSE(why_unsupported(with_wgmma, 90).has_value());
  CHECK(why_unsupported(with_wgmma, 120) ==
        "02_two: needs compute capability 9.0, the only one with wgmma; this GPU has 12.0");
}
