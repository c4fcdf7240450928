// The C interface, as C programs see it.

#include "every_shape.h"

#include <test/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::uint16_t kOne = 0x3f80, kTwo = 0x4000;  // bf16

// Device memory with the same number everywhere.
struct Numbers {
  void* memory = nullptr;
  std::size_t count;

  Numbers(std::size_t count_, std::uint16_t number) : count(count_) {
    const std::vector<std::uint16_t> all(count, number);
    if (every_shape_allocate(&memory, 2 * count) != EVERY_SHAPE_OK ||
        every_shape_upload(memory, all.data(), 2 * count) != EVERY_SHAPE_OK) {
      throw std::runtime_error(every_shape_last_error());
    }
  }
  ~Numbers() { every_shape_free(memory); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  bool are(std::uint16_t number) const {
    std::vector<std::uint16_t> all(count);
    return every_shape_download(all.data(), memory, 2 * count) == EVERY_SHAPE_OK &&
           std::all_of(all.begin(), all.end(), [&](std::uint16_t one) { return one == number; });
  }
};

constexpr int kM = 136, kN = 72, kK = 64;  // a sum of ones is 64 in bf16
constexpr std::uint16_t k64 = 0x4280, k128 = 0x4300;

struct Operands {
  Numbers a{kM * kK, kOne}, b{kN * kK, kOne}, c{kM * kN, 0};

  every_shape_problem problem() const {
    every_shape_problem out = {};
    out.m = kM, out.n = kN, out.k = kK;
    out.lda = out.ldb = kK, out.ldc = kN;
    out.at = {a.memory, b.memory, c.memory, nullptr};
    return out;
  }
};

}  // namespace

TEST_CASE("every_shape: the C interface refuses in one line, and says which rule") {
  const Operands operands;
  const auto refused = [&](const auto& change, const std::string& text) {
    every_shape_problem problem = operands.problem();
    change(problem);
    every_shape_plan* plan = nullptr;
    CHECK(every_shape_create(&problem, &plan) == EVERY_SHAPE_REFUSED);
    CHECK(plan == nullptr);
    const std::string line = every_shape_last_error();
    INFO(line);
    CHECK(line.starts_with("every_shape: "));
    CHECK(line.find(text) != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
  };
  using P = every_shape_problem;
  refused([](P& p) { p.m = -1; }, "m = -1");
  refused([](P& p) { p.lda = 8; }, "lda = 8");
  refused([](P& p) { p.lda = 65; }, "lda = 65");
  refused([](P& p) { p.type = EVERY_SHAPE_FP32; }, "type = 2");
  refused([](P& p) { p.c_type = EVERY_SHAPE_FP16; }, "c_type");
  refused([](P& p) { p.epilogue = static_cast<every_shape_epilogue>(6); }, "epilogue = 6");
  refused([](P& p) { p.a_major = static_cast<every_shape_major>(-1); }, "a_major = -1");
  refused([](P& p) { p.at.b = nullptr; }, "b = null");
  refused([](P& p) { p.at.a = static_cast<const char*>(p.at.a) + 2; }, "a lies 2 bytes behind");
  refused(
      [](P& p) {
        p.b_major = EVERY_SHAPE_MN_CONTIGUOUS, p.ldb = kN, p.epilogue = EVERY_SHAPE_BIAS;
      },
      "with an epilogue");
  CHECK(every_shape_create(nullptr, nullptr) == EVERY_SHAPE_REFUSED);
  CHECK(every_shape_run(nullptr, nullptr, nullptr, nullptr) == EVERY_SHAPE_REFUSED);
  every_shape_destroy(nullptr);
  void* memory = nullptr;
  CHECK(every_shape_allocate(&memory, std::size_t{1} << 60) == EVERY_SHAPE_DEVICE_ERROR);
  CHECK(every_shape_version() == EVERY_SHAPE_VERSION);
}

TEST_CASE("every_shape: a plan runs where operands are elsewhere, by several threads at once") {
  const Operands operands;
  for (const auto epilogue : {EVERY_SHAPE_IDENTITY, EVERY_SHAPE_BIAS, EVERY_SHAPE_BIAS_RELU}) {
    every_shape_problem problem = operands.problem();
    problem.epilogue = epilogue;  // a null bias is zeros
    if (epilogue == EVERY_SHAPE_IDENTITY)
      problem.a_major = problem.b_major = EVERY_SHAPE_MN_CONTIGUOUS, problem.lda = kM,
      problem.ldb = kN;
    every_shape_plan* plan = nullptr;
    REQUIRE(every_shape_create(&problem, &plan) == EVERY_SHAPE_OK);
    const std::size_t bytes = every_shape_workspace_bytes(plan);
    std::atomic<int> right = 0;
    const auto work = [&](std::uint16_t number, std::uint16_t sum) {
      const Numbers a(kM * kK, number), c(kM * kN, 0), workspace(bytes / 2, 0);
      const every_shape_addresses at = {a.memory, operands.b.memory, c.memory, nullptr};
      right += every_shape_run(plan, &at, workspace.memory, nullptr) == EVERY_SHAPE_OK &&
               every_shape_synchronize() == EVERY_SHAPE_OK && c.are(sum);
    };
    std::thread first(work, kOne, k64), second(work, kTwo, k128);
    first.join(), second.join();
    CHECK(right == 2);
    const Numbers workspace(bytes / 2, 0);
    CHECK(every_shape_run(plan, nullptr, workspace.memory, nullptr) == EVERY_SHAPE_OK);
    CHECK(every_shape_synchronize() == EVERY_SHAPE_OK);
    CHECK(operands.c.are(k64));

    every_shape_addresses wrong = problem.at;
    wrong.c = static_cast<char*>(wrong.c) + 2;
    CHECK(every_shape_run(plan, &wrong, workspace.memory, nullptr) == EVERY_SHAPE_REFUSED);
    CHECK(std::string(every_shape_last_error()).find("address of c") != std::string::npos);
    if (bytes > 0) CHECK(every_shape_run(plan, nullptr, nullptr, nullptr) == EVERY_SHAPE_REFUSED);
    every_shape_destroy(plan);
  }
}
