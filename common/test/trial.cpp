#include <test/trial.hpp>

#include <test/backend.hpp>
#include <test/rules.hpp>

#include <cstring>
#include <optional>

namespace test {

using gemm::Problem;

Trial::Input Trial::place(const std::vector<std::byte>& contents, std::size_t offset_bytes) {
  Input input;
  if (contents.empty()) return input;
  input.image.resize(offset_bytes + contents.size());
  gemm::fill_pattern(input.image.data(), offset_bytes, gemm::kInputPadding);
  std::memcpy(input.image.data() + offset_bytes, contents.data(), contents.size());
  input.memory = harness::DeviceMemory(input.image.size());
  gpu::copy_to_device(input.memory.data(), input.image.data(), input.image.size());
  input.start = input.memory.data() + offset_bytes;
  return input;
}

Trial::Trial(const Case& c, std::uint64_t seed)
    : host_(gemm::make_operands(c.problem, c.values, seed)),
      problem_(host_.problem),
      c_layout_(gemm::stored_c(c.problem), c.problem.c_type, c.c_offset) {
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements * gemm::bytes_per_element(c.problem.type));
  };
  a_ = place(host_.a, bytes(c.a_offset));
  b_ = place(host_.b, bytes(c.b_offset));
  bias_ = place(host_.bias, 0);
  c_ = harness::DeviceMemory(c_layout_.bytes());
  problem_.a = a_.start;
  problem_.b = b_.start;
  problem_.epilogue.bias = bias_.start;
  problem_.c = host_.c.empty() ? nullptr : c_.data() + c_layout_.matrix_offset();
  reset_c();
}

void Trial::reset_c() {
  const std::vector<std::byte> image = c_layout_.image(host_.c.data());
  gpu::copy_to_device(c_.data(), image.data(), image.size());
}

std::vector<std::byte> Trial::fetch_c() const {
  std::vector<std::byte> image(c_layout_.bytes());
  gpu::copy_to_host(image.data(), c_.data(), image.size());
  return image;
}

std::vector<std::string> Trial::complaints() const {
  const std::vector<std::byte> image = fetch_c();
  std::vector<std::string> out;
  const gemm::Report report = gemm::verify(host_, image.data() + c_layout_.matrix_offset());
  if (!report.ok()) out = gemm::describe(report);
  if (const auto damage = c_layout_.damage(image.data())) out.push_back("C: " + *damage);
  for (const auto& [input, name] : {std::pair{&a_, "A"}, {&b_, "B"}, {&bias_, "bias"}}) {
    std::vector<std::byte> now(input->image.size());
    gpu::copy_to_host(now.data(), input->memory.data(), now.size());
    if (now != input->image) out.push_back(std::string(name) + " was written to");
  }
  return out;
}

std::vector<std::string> judge_refusal(const harness::Chapter& chapter,
                                       const std::string& message) {
  std::vector<std::string> out;
  if (message.find(chapter.name) == std::string::npos) {
    out.push_back("the refusal does not name the chapter: " + message);
  }
  if (message.find('\n') != std::string::npos) {
    out.push_back("the refusal is longer than a line: " + message);
  }
  return out;
}

namespace {

// Prepares a plan, unless it is refused; what is wrong about that goes into `complaints`.
std::optional<harness::Plan> prepare(const harness::Chapter& chapter,
                                     const harness::Variant& variant, const Problem& problem,
                                     std::vector<std::string>& complaints) {
  const Expected rule = expected(chapter, problem);
  std::optional<harness::Plan> plan;
  try {
    plan = harness::prepare(chapter, variant, problem);
  } catch (const core::Refused& refused) {
    if (rule == Expected::kRight) {
      complaints = {std::string("refused: ") + refused.what()};
    } else {
      complaints = judge_refusal(chapter, refused.what());
    }
    return std::nullopt;
  }
  if (rule != Expected::kRefused) return plan;
  complaints = {"accepted, although the hardware forbids it"};
  return std::nullopt;
}

// Runs a plan once, or twice, on C as it is before a run.
std::vector<std::string> run(const harness::Plan& plan, const Case& c, Trial& trial) {
  const auto run = [&] {
    plan.run(gpu::Stream{});
    gpu::synchronize();
  };
  run();
  std::vector<std::string> complaints = trial.complaints();
  if (!c.repeat || !complaints.empty()) return complaints;

  const std::vector<std::byte> first = trial.fetch_c();
  trial.reset_c();
  run();
  if (trial.fetch_c() != first) {
    complaints = trial.complaints();
    complaints.insert(complaints.begin(), "a second run of the plan gave another C");
  }
  return complaints;
}

}  // namespace

std::vector<std::string> try_case(const harness::Chapter& chapter, const harness::Variant& variant,
                                  const Case& c) {
  Trial trial(c);
  std::vector<std::string> complaints;
  const auto plan = prepare(chapter, variant, trial.problem(), complaints);
  return plan ? run(*plan, c, trial) : complaints;
}

std::vector<std::string> SharedCase::try_variant(const harness::Chapter& chapter,
                                                 const harness::Variant& variant) {
  std::vector<std::string> complaints;
  const auto plan = prepare(chapter, variant, trial_.problem(), complaints);
  if (!plan) return complaints;
  plans_.push_back(*plan);
  const std::optional<std::string> runs = what_runs(*plan);
  if (runs && right_.count(*runs) > 0) return {};
  trial_.reset_c();
  complaints = run(*plan, case_, trial_);
  if (runs && complaints.empty()) right_.insert(*runs);
  return complaints;
}

}  // namespace test
