// The C interface: exceptions become statuses, and the plan of the fastest tiling is found.

#include "every_shape.h"

#include "plan.cuh"
#include "stream_k.cuh"
#include "tilings.hpp"

#include <core/error.hpp>
#include <gemm/operands.hpp>
#include <gpu/host.hpp>

#include <new>
#include <string>

struct every_shape_plan {
  every_shape::AnyPlan plan;
};

namespace {

using every_shape::Addresses;
static_assert(EVERY_SHAPE_WORKSPACE_ZEROS == every_shape::StreamKWorkspace::kFirstResult);
static_assert(EVERY_SHAPE_BIAS_SILU == static_cast<int>(gemm::EpilogueKind::kBiasSilu));
static_assert(EVERY_SHAPE_BIAS == static_cast<int>(gemm::EpilogueKind::kBias));
static_assert(EVERY_SHAPE_FP32 == static_cast<int>(gemm::DataType::kFp32));
static_assert(EVERY_SHAPE_MN_CONTIGUOUS == static_cast<int>(gemm::Major::kMn));

thread_local std::string last_error;

template <class Do>
int status_of(const Do& what) noexcept {
  try {
    what();
    return EVERY_SHAPE_OK;
  } catch (const core::Refused& reason) {
    last_error = reason.what();
    return EVERY_SHAPE_REFUSED;
  } catch (const std::bad_alloc&) {
    last_error = "every_shape: out of memory";
  } catch (const std::exception& error) {
    last_error = error.what();
  }
  return EVERY_SHAPE_DEVICE_ERROR;
}

void require(bool fits, const std::string& line) {
  if (!fits) throw core::Refused("every_shape: " + line);
}
gpu::Stream as_stream(void* stream) {
  return static_cast<gpu::Stream>(stream);
}

gemm::Problem problem_of(const every_shape_problem& p) {
  // An enumerator that C has given any number.
  const auto known = [](const char* name, int value, int last) {
    require(value >= 0 && value <= last, std::string(name) + " = " + std::to_string(value) +
                                             ": from 0 to " + std::to_string(last));
    return value;
  };
  const auto kind = static_cast<gemm::EpilogueKind>(
      known("epilogue", static_cast<int>(p.epilogue), EVERY_SHAPE_BIAS_SILU));
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .type = static_cast<gemm::DataType>(known("type", static_cast<int>(p.type), 1)),
          .c_type = static_cast<gemm::DataType>(known("c_type", static_cast<int>(p.c_type), 2)),
          .a = p.at.a,
          .lda = p.lda,
          .b = p.at.b,
          .ldb = p.ldb,
          .c = p.at.c,
          .ldc = p.ldc,
          .a_major = static_cast<gemm::Major>(known("a_major", static_cast<int>(p.a_major), 1)),
          .b_major = static_cast<gemm::Major>(known("b_major", static_cast<int>(p.b_major), 1)),
          .epilogue = {.kind = kind, .alpha = p.alpha, .beta = p.beta, .bias = p.at.bias}};
}

void require_device() {
  if (const auto reason = gpu::why_no_device()) throw core::DeviceError("every_shape: " + *reason);
  const int found = gpu::compute_capability();
  if (found == 90) return;
  throw core::DeviceError("every_shape: needs compute capability 9.0, the only one with wgmma; " +
                          ("this GPU has " + std::to_string(found / 10)) + "." +
                          std::to_string(found % 10));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int every_shape_version(void) {
  return EVERY_SHAPE_VERSION;
}
const char* every_shape_last_error(void) {
  return last_error.c_str();
}

int every_shape_create(const every_shape_problem* given, every_shape_plan** plan) {
  return status_of([&] {
    require(given != nullptr && plan != nullptr, "problem and plan must not be null");
    *plan = nullptr;
    const gemm::Problem problem = problem_of(*given);
    gemm::Problem to_validate = problem;
    if (problem.epilogue.bias == nullptr) to_validate.epilogue = {};  // zeros
    gemm::validate(to_validate, every_shape::kName);
    require(problem.c_type == problem.type || problem.c_type == gemm::DataType::kFp32,
            "c_type is neither A's type nor FP32");
    gemm::require_tma(problem, every_shape::kName);
    require_device();
    *plan = new every_shape_plan{every_shape::choose(problem).prepare(problem, {})};
  });
}
void every_shape_destroy(every_shape_plan* plan) {
  delete plan;
}

size_t every_shape_workspace_bytes(const every_shape_plan* plan) {
  return plan->plan.workspace_bytes();
}
int every_shape_clear_workspace(void* workspace, void* stream) {
  return status_of(
      [&] { gpu::fill_bytes(workspace, 0, EVERY_SHAPE_WORKSPACE_ZEROS, as_stream(stream)); });
}

int every_shape_run(const every_shape_plan* plan, const every_shape_addresses* at, void* workspace,
                    void* stream) {
  return status_of([&] {
    require(plan != nullptr, "plan must not be null");
    require(reinterpret_cast<std::uintptr_t>(workspace) % 16 == 0 &&
                (workspace != nullptr || plan->plan.workspace_bytes() == 0),
            "the plan needs a workspace, at a multiple of 16 bytes");
    if (at == nullptr) return plan->plan.run(as_stream(stream), workspace);
    const Addresses addresses{at->a, at->b, at->c, at->bias};
    plan->plan.run(as_stream(stream), workspace, &addresses);
  });
}
int every_shape_is_capturing(void* stream) {
  bool capturing = false;
  status_of([&] { capturing = gpu::is_capturing(as_stream(stream)); });
  return capturing ? 1 : 0;
}

int every_shape_allocate(void** memory, size_t bytes) {
  return status_of([&] {
    require_device();
    *memory = gpu::allocate(bytes);
  });
}
void every_shape_free(void* memory) {
  gpu::release(memory);
}
int every_shape_upload(void* device, const void* host, size_t bytes) {
  return status_of([&] { gpu::copy_to_device(device, host, bytes); });
}
int every_shape_download(void* host, const void* device, size_t bytes) {
  return status_of([&] { gpu::copy_to_host(host, device, bytes); });
}
int every_shape_synchronize(void) {
  return status_of([] { gpu::synchronize(); });
}
}
#pragma GCC visibility pop
