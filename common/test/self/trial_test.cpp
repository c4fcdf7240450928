// A trial must notice every way in which a chapter can go wrong. Chapters here are host functions
// that work on the CPU backend's device memory directly.

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <gemm/element.hpp>
#include <gemm/reference.hpp>

#include <core/error.hpp>

#include <gpu/launch.hpp>
#include <gpu/thread.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace {

using gemm::Problem;
using test::Case;
using Lines = std::vector<std::string>;

using Kernel = std::function<void(const Problem&)>;

struct HostPlan {
  Problem problem;
  Kernel kernel;
  void run(gpu::Stream) const { kernel(problem); }
};

void store(const Problem& p, std::int64_t row, std::int64_t col, double value) {
  gemm::store_element(p.c_type, p.c, row * p.ldc + col, static_cast<float>(value));
}

void right(const Problem& p) {
  const std::vector<double> c = gemm::reference(p);
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      store(p, row, col, c[static_cast<std::size_t>(row * p.n + col)]);
    }
  }
}

// A chapter of this name that declares everything; a name that begins with "tma" travels by TMA.
harness::Chapter chapter_named(const std::string& name) {
  harness::Chapter c;
  c.name = name;
  c.layouts = {"tn", "nn", "nt", "tt"};
  c.epilogues = {"identity", "alpha_beta", "bias_relu"};
  c.fp32_c = c.splits_k = true;
  c.tma_operands = name.starts_with("tma");
  return c;
}

// A variant's prepare is a plain function: what it is to do stands here meanwhile.
std::function<harness::Plan(const Problem&)> prepare_now;

template <class Prepare>
harness::Variant variant_that(Prepare prepare) {
  prepare_now = std::move(prepare);
  return {"only", "", [](const Problem& problem) { return prepare_now(problem); }};
}

Case small_case() {
  Case c;
  c.problem = gemm::packed_problem(20, 30, 40, gemm::DataType::kBf16);
  c.problem.ldc = 33;
  c.repeat = true;
  return c;
}

Lines try_kernel(const Kernel& kernel, const Case& c = small_case(), const char* chapter = "fake") {
  const harness::Variant variant = variant_that([kernel](const Problem& problem) -> harness::Plan {
    return HostPlan{problem, kernel};
  });
  return test::try_case(chapter_named(chapter), variant, c);
}

Lines try_refusing(const std::string& message, const Case& c, const char* chapter) {
  const harness::Variant variant =
      variant_that([message](const Problem&) -> harness::Plan { throw core::Refused(message); });
  return test::try_case(chapter_named(chapter), variant, c);
}

bool mentions(const Lines& lines, const std::string& text) {
  for (const std::string& line : lines) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

Case tma_forbids() {
  Case c = small_case();
  c.a_offset = 1;
  return c;
}

}  // namespace

TEST_CASE("right results pass, with every kind of case") {
  CHECK(try_kernel(right) == Lines{});
  for (const auto& cases : {test::tiny_cases(), test::empty_cases(), test::strided_cases(),
                            test::misaligned_cases(), test::option_cases()}) {
    for (const Case& c : cases) {
      INFO(label(c));
      CHECK(try_kernel(right, c) == Lines{});
    }
  }
}

TEST_CASE("wrong results do not") {
  CHECK(mentions(try_kernel([](const Problem&) {}), "WRONG: 600 wrong entries"));
  CHECK(mentions(try_kernel([](const Problem& p) { right(p), store(p, 19, 29, 1e4); }),
                 "first: C[19, 29]"));
}

TEST_CASE("stray writes are noticed") {
  const auto also_at = [](std::int64_t index) {
    return try_kernel([=](const Problem& p) { right(p), store(p, 0, index, 0); });
  };
  CHECK(mentions(also_at(30), "padding of row 0"));
  CHECK(mentions(also_at(-1), "guard before"));
  CHECK(mentions(also_at(19 * 33 + 30), "guard behind"));
  CHECK(also_at(19 * 33 + 29).size() == 2);  // the last entry itself: wrong, but nothing stray
}

TEST_CASE("inputs must stay as they are") {
  const auto scribble = [](const void* input, std::size_t bytes) {
    *(static_cast<char*>(const_cast<void*>(input)) + bytes - 1) ^= 1;
  };
  CHECK(try_kernel([&](const Problem& p) { right(p), scribble(p.a, 1600); }) ==
        Lines{"A was written to"});
  CHECK(try_kernel([&](const Problem& p) { right(p), scribble(p.b, 2400); }) ==
        Lines{"B was written to"});
}

TEST_CASE("inputs end where their allocation ends") {
  Case c = small_case();
  c.problem.lda = 50;
  c.a_offset = 3;
  const test::Trial trial(c);
  const auto* a = static_cast<const char*>(trial.problem().a);
  const std::size_t elements = 19 * 50 + 40;
  std::vector<char> copy(2 * elements + 2);
  CHECK_NOTHROW(gpu::copy_to_host(copy.data(), a, 2 * elements));
  CHECK_THROWS_AS(gpu::copy_to_host(copy.data(), a, 2 * elements + 2), core::DeviceError);
}

TEST_CASE("a second run must do the same") {
  int runs = 0;
  CHECK(mentions(try_kernel([&](const Problem& p) {
                   if (runs++ == 0) right(p);
                 }),
                 "a second run of the plan gave another C"));
  runs = 0;
  Case once = small_case();
  once.repeat = false;
  CHECK(try_kernel([&](const Problem& p) { ++runs, right(p); }, once) == Lines{});
  CHECK(runs == 1);
}

TEST_CASE("a chapter that reads C without need is noticed") {
  Case c = small_case();
  c.problem.epilogue = {gemm::EpilogueKind::kAlphaBeta, 1.0f, 0.0f};
  const auto reads_c = [](const Problem& p) {
    for (std::int64_t i = 0; i < p.m * p.n; ++i) {
      const std::int64_t row = i / p.n, col = i % p.n;
      const double before = gemm::load_element(p.c_type, p.c, row * p.ldc + col);
      const gemm::Entry entry = {row, col};
      store(p, row, col, gemm::reference(p, {&entry, 1})[0] + 0.0 * before);
    }
  };
  CHECK(mentions(try_kernel(reads_c, c), "WRONG: 600"));
}

TEST_CASE("refusals are held against the rules") {
  CHECK(mentions(try_refusing("fake: no", small_case(), "fake"), "refused: fake: no"));
  CHECK(try_kernel(right, tma_forbids(), "tma_fake") == Lines{});  // refused at the edge
  Case option = small_case();
  option.problem.split_k = 2;
  CHECK(try_refusing("fake: no split", option, "fake") == Lines{});
  CHECK(mentions(try_refusing("not possible", option, "fake"), "does not name"));
  CHECK(mentions(try_refusing("fake: no\nno", option, "fake"), "longer than a line"));
  CHECK(try_kernel(right, option) == Lines{});
  CHECK(!try_kernel([](const Problem&) {}, option).empty());
}

TEST_CASE("what the device reports is passed on") {
  CHECK_THROWS_AS(try_kernel([](const Problem&) { throw core::DeviceError("broken"); }),
                  core::DeviceError);
}

namespace {

__global__ void store_bits(std::uint16_t* c, std::int64_t bits) {
  for (int i = 0; i < 600; ++i) c[i] = static_cast<std::uint16_t>(bits);
}
__global__ void store_nothing(std::uint16_t*, std::int64_t) {}

struct LaunchPlan {
  void (*kernel)(std::uint16_t*, std::int64_t);
  std::uint16_t* c;
  std::int64_t bits;
  int* runs;
  void run(gpu::Stream stream) const {
    ++*runs;
    gpu::launch(kernel, {.grid = dim3(1), .block = dim3(1)}, stream, c, bits);
  }
};

}  // namespace

TEST_CASE("of variants that launch the same, what is right is run once, what is wrong each time") {
  Case zeros = {.problem = gemm::packed_problem(20, 30, 0, gemm::DataType::kBf16)};
  test::SharedCase shared(zeros);
  int runs = 0;
  const auto try_it = [&](auto kernel, std::int64_t bits) {
    const harness::Variant variant =
        variant_that([&, bits, kernel](const Problem& problem) -> harness::Plan {
          return LaunchPlan{kernel, static_cast<std::uint16_t*>(problem.c), bits, &runs};
        });
    runs = 0;
    return shared.try_variant(chapter_named("fake"), variant);
  };
  test::set_policy("late");
  CHECK(try_it(store_bits, 0) == Lines{});
  CHECK(runs == 2);  // to see what it launches, and to launch it
  CHECK(try_it(store_bits, 0) == Lines{});
  CHECK(runs == 1);
  for (int i = 0; i < 2; ++i) {  // another parameter, another kernel
    CHECK(mentions(try_it(store_bits, 0x3f80), "WRONG: 600"));
    CHECK(mentions(try_it(store_nothing, 0), "WRONG: 600"));
  }
  test::set_policy("mix");
  CHECK(try_it(store_bits, 0) == Lines{});
  CHECK(runs == 2);
  test::set_policy("late");
}

TEST_CASE("what cannot be seen to be the same is run each time") {
  test::SharedCase shared(small_case());
  const auto try_it = [&](const Kernel& kernel) {
    const harness::Variant variant =
        variant_that([kernel](const Problem& problem) -> harness::Plan {
          return HostPlan{problem, kernel};
        });
    return shared.try_variant(chapter_named("fake"), variant);
  };
  CHECK(try_it(right) == Lines{});
  CHECK(mentions(try_it([](const Problem&) {}), "WRONG: 600"));
}
