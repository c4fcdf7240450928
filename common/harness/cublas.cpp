#include <harness/cublas.hpp>

#include <harness/device_problem.hpp>
#include <harness/statistics.hpp>
#include <harness/timing.hpp>

#include <cublasLt.h>
#include <cublas_v2.h>

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{256} << 20;
constexpr int kMostProposals = 256;  // more than cublasLt has for one problem

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw core::DeviceError(std::string(what) + ": " + cublasGetStatusString(status));
}

cudaDataType_t cuda_type(gemm::DataType type) {
  switch (type) {
    case gemm::DataType::kBf16:
      return CUDA_R_16BF;
    case gemm::DataType::kFp16:
      return CUDA_R_16F;
    case gemm::DataType::kFp32:
      return CUDA_R_32F;
  }
  return CUDA_R_32F;
}

// cuBLAS thinks in column-major matrices. Our row-major C (M, N) is, column-major, the (N, M)
// matrix C^T = B A^T. So B is its first operand and A its second, and M and N change places. B with
// K contiguous is a column-major (K, N) matrix and must be transposed to (N, K); A with K
// contiguous is a column-major (K, M) matrix, which is A^T already.
struct Call {
  cublasOperation_t op_first, op_second;
  std::int64_t m, n, k;  // as cuBLAS counts them
  const void *first, *second;
  std::int64_t ld_first, ld_second, ld_c;
  cudaDataType_t type, c_type;
  float alpha, beta;
};

Call to_cublas(const gemm::Problem& p) {
  // Leading dimensions must be positive even where the matrix is empty.
  const auto positive = [](std::int64_t ld) { return std::max<std::int64_t>(1, ld); };
  const bool scaled = p.epilogue.kind == gemm::EpilogueKind::kAlphaBeta;
  return {.op_first = p.b_major == gemm::Major::kK ? CUBLAS_OP_T : CUBLAS_OP_N,
          .op_second = p.a_major == gemm::Major::kK ? CUBLAS_OP_N : CUBLAS_OP_T,
          .m = p.n,
          .n = p.m,
          .k = p.k,
          .first = p.b,
          .second = p.a,
          .ld_first = positive(p.ldb),
          .ld_second = positive(p.lda),
          .ld_c = positive(p.ldc),
          .type = cuda_type(p.type),
          .c_type = cuda_type(p.c_type),
          .alpha = scaled ? p.epilogue.alpha : 1.0f,
          .beta = scaled ? p.epilogue.beta : 0.0f};
}

void gemm_ex(cublasHandle_t handle, const gemm::Problem& p) {
  const Call c = to_cublas(p);
  check(cublasGemmEx_64(handle, c.op_first, c.op_second, c.m, c.n, c.k, &c.alpha, c.first, c.type,
                        c.ld_first, c.second, c.type, c.ld_second, &c.beta, p.c, c.c_type, c.ld_c,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

// The largest power of two up to 256 that divides an address.
std::uint32_t alignment(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::uint32_t bytes = 256;
  while (bytes > 1 && address % bytes != 0) bytes /= 2;
  return bytes;
}

// What a library's create function made, until its destroy function is called.
template <auto kDestroy, class T>
struct Owned {
  T handle = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  ~Owned() {
    if (handle != nullptr) kDestroy(handle);
  }
  operator T() const { return handle; }
};
using Handle = Owned<cublasDestroy, cublasHandle_t>;
using LtHandle = Owned<cublasLtDestroy, cublasLtHandle_t>;
using Preference = Owned<cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t>;
using Operation = Owned<cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t>;
using Layout = Owned<cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t>;

}  // namespace

// Both handles share one workspace: everything runs in one stream, in order.
struct Cublas::State {
  gpu::Stream stream = nullptr;
  DeviceMemory workspace;
  Handle handle, precise;
  LtHandle lt;
};

// Descriptors of one problem's matrices, shared by all its algorithms.
struct Cublas::Algorithm {
  struct Descriptors {
    Operation operation;
    Layout first, second, c;
  };
  std::shared_ptr<const Descriptors> descriptors;
  cublasLtMatmulAlgo_t algorithm;
};

Cublas::Cublas(std::shared_ptr<State> state) : state_(std::move(state)) {}
Cublas::~Cublas() = default;

std::unique_ptr<Cublas> Cublas::create(gpu::Stream stream, std::string& why_not) {
  try {
    auto state = std::make_shared<State>();
    state->stream = stream;
    state->workspace = DeviceMemory(kWorkspaceBytes);
    for (Handle* handle : {&state->handle, &state->precise}) {
      check(cublasCreate(&handle->handle), "cublasCreate");
      check(cublasSetStream(*handle, stream), "cublasSetStream");
      check(cublasSetWorkspace(*handle, state->workspace.data(), kWorkspaceBytes),
            "cublasSetWorkspace");
    }
    check(cublasSetMathMode(state->precise, static_cast<cublasMath_t>(
                                                CUBLAS_DEFAULT_MATH |
                                                CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
          "cublasSetMathMode");
    check(cublasLtCreate(&state->lt.handle), "cublasLtCreate");
    return std::unique_ptr<Cublas>(new Cublas(std::move(state)));
  } catch (const core::DeviceError& error) {
    why_not = error.what();
    return nullptr;
  }
}

std::string Cublas::version() const {
  int part[3] = {};
  const libraryPropertyType names[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (int i = 0; i < 3; ++i) check(cublasGetProperty(names[i], &part[i]), "cublasGetProperty");
  return std::to_string(part[0]) + "." + std::to_string(part[1]) + "." + std::to_string(part[2]);
}

std::optional<std::string> Cublas::why_unsuited(const gemm::Problem& p) {
  if (p.epilogue.kind == gemm::EpilogueKind::kBiasRelu) {
    return "cublasGemmEx has no bias and ReLU to compare this epilogue with";
  }
  return std::nullopt;
}

Plan Cublas::default_gemm(const gemm::Problem& problem) const {
  struct DefaultGemm {
    std::shared_ptr<State> state;
    gemm::Problem problem;

    void run(gpu::Stream stream) const {
      // The handle belongs to one stream: giving it another would also take away its workspace.
      if (stream != state->stream)
        throw core::DeviceError("cuBLAS: called for another stream than its own");
      gemm_ex(state->handle, problem);
    }
  };
  return DefaultGemm{state_, problem};
}

void Cublas::compute_precisely(const gemm::Problem& problem) const {
  gemm_ex(state_->precise, problem);
  gpu::check(cudaStreamSynchronize(state_->stream), "cublasGemmEx");
}

std::vector<Cublas::AlgorithmPtr> Cublas::proposals(const gemm::Problem& p) const {
  if (p.m == 0 || p.n == 0 || p.k == 0) return {};
  const Call c = to_cublas(p);
  auto d = std::make_shared<Algorithm::Descriptors>();
  check(cublasLtMatmulDescCreate(&d->operation.handle, CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  const auto set_op = [&](cublasLtMatmulDescAttributes_t attribute, cublasOperation_t op) {
    check(cublasLtMatmulDescSetAttribute(d->operation, attribute, &op, sizeof op),
          "cublasLtMatmulDescSetAttribute");
  };
  set_op(CUBLASLT_MATMUL_DESC_TRANSA, c.op_first);
  set_op(CUBLASLT_MATMUL_DESC_TRANSB, c.op_second);

  // Rows and columns as stored, before the operation transposes them.
  const auto layout = [](Layout& made, cudaDataType_t type, std::int64_t rows, std::int64_t cols,
                         bool transposed, std::int64_t ld) {
    if (transposed) std::swap(rows, cols);
    check(cublasLtMatrixLayoutCreate(&made.handle, type, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(cols), ld),
          "cublasLtMatrixLayoutCreate");
  };
  layout(d->first, c.type, c.m, c.k, c.op_first == CUBLAS_OP_T, c.ld_first);
  layout(d->second, c.type, c.k, c.n, c.op_second == CUBLAS_OP_T, c.ld_second);
  layout(d->c, c.c_type, c.m, c.n, false, c.ld_c);

  Preference preference;
  check(cublasLtMatmulPreferenceCreate(&preference.handle), "cublasLtMatmulPreferenceCreate");
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes});
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(c.first));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(c.second));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(p.c));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(p.c));

  std::vector<cublasLtMatmulHeuristicResult_t> results(kMostProposals);
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(state_->lt, d->operation, d->first, d->second, d->c, d->c,
                                     preference, kMostProposals, results.data(), &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  check(status, "cublasLtMatmulAlgoGetHeuristic");

  std::vector<AlgorithmPtr> out;
  for (int i = 0; i < found; ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    if (result.state != CUBLAS_STATUS_SUCCESS || result.workspaceSize > kWorkspaceBytes) continue;
    out.push_back(std::make_shared<const Algorithm>(Algorithm{d, result.algo}));
  }
  return out;
}

Plan Cublas::lt_gemm(const gemm::Problem& problem, AlgorithmPtr algorithm) const {
  struct LtGemm {
    std::shared_ptr<State> state;
    gemm::Problem problem;
    AlgorithmPtr algorithm;

    void run(gpu::Stream stream) const {
      const Call c = to_cublas(problem);
      const Algorithm::Descriptors& d = *algorithm->descriptors;
      check(cublasLtMatmul(state->lt, d.operation, &c.alpha, c.first, d.first, c.second, d.second,
                           &c.beta, problem.c, d.c, problem.c, d.c, &algorithm->algorithm,
                           state->workspace.data(), kWorkspaceBytes, stream),
            "cublasLtMatmul");
    }
  };
  return LtGemm{state_, problem, std::move(algorithm)};
}

namespace {

constexpr std::size_t kFinalists = 5;
constexpr int kFinalRounds = 3;

struct Timed {
  Cublas::AlgorithmPtr algorithm;
  double ms = 0;
};

std::vector<Plan> plans_of(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                           const Cublas::AlgorithmPtr& algorithm) {
  std::vector<Plan> plans;
  for (const gemm::Problem& p : problems) plans.push_back(cublas.lt_gemm(p, algorithm));
  return plans;
}

}  // namespace

Cublas::AlgorithmPtr find_best(const Cublas& cublas, const std::vector<gemm::Problem>& problems,
                               gpu::Stream stream, const std::function<void(int, int)>& progress) {
  const auto proposals = cublas.proposals(problems.front());
  // Short rests suffice to tell the good ones from the bad; all get the same.
  const TimingConfig quick = {.rest_ms = 20, .burst_ms = 1};
  std::vector<Timed> all;
  const int count = static_cast<int>(proposals.size());
  int done = 0;
  for (const auto& algorithm : proposals) {
    progress(done++, count);
    try {
      const auto plans = plans_of(cublas, problems, algorithm);
      plans.front().run(stream);
      gpu::check(cudaStreamSynchronize(stream), "cublasLtMatmul");
      TimedWork work(plans, quick, stream);
      work.sample();
      all.push_back({algorithm, work.samples().front()});
    } catch (const core::DeviceError&) {
      // Proposed, yet refused when launched. A fault of the device itself stays and is reported by
      // whatever runs next; a refusal is forgotten here.
      cudaGetLastError();
    }
  }
  if (all.empty()) return nullptr;
  std::stable_sort(all.begin(), all.end(),
                   [](const Timed& left, const Timed& right) { return left.ms < right.ms; });
  if (all.size() > kFinalists) all.resize(kFinalists);

  std::vector<TimedWork> finalists;
  for (const Timed& one : all) {
    finalists.emplace_back(plans_of(cublas, problems, one.algorithm), TimingConfig{}, stream);
  }
  progress(count, count);
  for (const Turn& turn : turns(std::vector<double>(finalists.size()), kFinalRounds, 1e9)) {
    finalists[static_cast<std::size_t>(turn.kernel)].sample();
  }
  std::size_t best = 0;
  const auto median = [&](std::size_t i) { return estimate(finalists[i].samples()).median; };
  for (std::size_t i = 1; i < finalists.size(); ++i) {
    if (median(i) < median(best)) best = i;
  }
  return all[best].algorithm;
}

}  // namespace harness
