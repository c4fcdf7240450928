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

const std::vector<Chapter> kAvailable = {
    {.name = "01_one",
     .title = "One",
     .idea = "the first",
     .variants = {{"plain", "as it is", prepare_nothing}, {"other", "", prepare_nothing}}},
    {.name = "02_two",
     .title = "Two",
     .idea = "the second",
     .ceiling = Ceiling::kWgmma,
     .min_compute_capability = 90,
     .variants = {{"plain", "as it is", prepare_nothing}}}};

Job planned(const std::vector<std::string>& chapters, const std::vector<std::string>& variants) {
  Options o;
  o.chapters = chapters;
  o.variants = variants;
  return plan_job(o, kAvailable);
}

template <class Change>
std::string refusal(Change change) {
  Options o;
  o.chapters = {"01_one"};
  change(o);
  try {
    plan_job(o, kAvailable);
  } catch (const core::Refused& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace

TEST_CASE("names choose chapters and variants") {
  const Job all = planned({}, {});
  REQUIRE(all.kernels.size() == 2);
  CHECK(all.kernels[0].label() == "01_one plain");
  CHECK(all.kernels[0].is_default);
  CHECK(all.ladder);
  CHECK(all.leaves_out);
  CHECK(planned({}, {"all"}).kernels.size() == 3);
  const Job other = planned({}, {"other"});
  REQUIRE(other.kernels.size() == 1);
  CHECK_FALSE(other.kernels[0].is_default);
  CHECK(other.chapters.size() == 1);
  CHECK_FALSE(planned({"02_two"}, {}).leaves_out);  // who is called by name must answer
}

TEST_CASE("what a chapter does not have is refused") {
  CHECK(refusal([](Options& o) { o.chapters = {"03_three"}; }) ==
        "--chapter 03_three: this program holds 01_one, 02_two");
  CHECK(refusal([](Options& o) { o.variants = {"none"}; }) ==
        "--variant none: choose from plain, other");
  CHECK(refusal([](Options& o) { o.layout = "nt"; }).starts_with("01_one: has no layout nt; "));
  CHECK(refusal([](Options& o) {
          o.epilogue = "bias_relu";
        }).starts_with("01_one: has no epilogue bias_relu; "));
  CHECK(refusal([](Options& o) {
          o.split = 2;
        }).starts_with("01_one: has no split of K (split 2); "));
  CHECK(refusal([](Options& o) { o.tune = true; }).starts_with("01_one: --tune: "));
  CHECK(refusal([](Options& o) { o.ablation = true; }).starts_with("01_one: --ablation: "));
}

TEST_CASE("layout letters give majors and leading dimensions") {
  Options o;
  o.layout = "nt";
  const gemm::Problem nt = problem_of(o, {4, 5, 6});
  CHECK((nt.a_major == gemm::Major::kMn && nt.b_major == gemm::Major::kMn));
  CHECK((nt.lda == 4 && nt.ldb == 5));
  const gemm::Problem tn = problem_of({}, {4, 5, 6});
  CHECK((tn.a_major == gemm::Major::kK && tn.b_major == gemm::Major::kK));
  CHECK((tn.lda == 6 && tn.ldc == 5));
}

TEST_CASE("a chapter that needs more than the GPU has says what") {
  const Chapter& wgmma = kAvailable[1];
  CHECK_FALSE(why_unsupported(wgmma, 90).has_value());
  CHECK_FALSE(why_unsupported(wgmma, std::nullopt).has_value());  // the CPU backend
  CHECK(why_unsupported(wgmma, 86) == "02_two: needs compute capability 9.0; this GPU has 8.6");
  CHECK(why_unsupported(wgmma, 120) ==
        "02_two: needs compute capability 9.0, the only one with wgmma; this GPU has 12.0");
  CHECK_FALSE(why_unsupported(kAvailable[0], 120).has_value());
}
