#include <harness/timing.hpp>

#include <cublasLt.h>

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{256} << 20;
constexpr int kMostProposals = 256;  // more than cublasLt has for one problem
constexpr std::size_t kFinalists = 5;
constexpr int kFinalRounds = 3;

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw core::DeviceError(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

cudaDataType_t cuda_type(gemm::DataType type) {
  if (type == gemm::DataType::kFp32) return CUDA_R_32F;
  return type == gemm::DataType::kFp16 ? CUDA_R_16F : CUDA_R_16BF;
}

// cuBLAS thinks in column-major matrices. Our row-major C (M, N) is, column-major, the (N, M)
// matrix C^T = B A^T. So B is its first operand and A its second, and M and N change places. B with
// K contiguous is a column-major (K, N) matrix and must be transposed to (N, K); A with K
// contiguous is a column-major (K, M) matrix, which is A^T already.
struct Call {
  cublasOperation_t op_b, op_a;
  cudaDataType_t type, c_type;
  float alpha = 1, beta = 0;

  explicit Call(const gemm::Problem& p)
      : op_b(p.b_major == gemm::Major::kK ? CUBLAS_OP_T : CUBLAS_OP_N),
        op_a(p.a_major == gemm::Major::kK ? CUBLAS_OP_N : CUBLAS_OP_T),
        type(cuda_type(p.type)),
        c_type(cuda_type(p.c_type)) {
    if (p.epilogue.kind != gemm::EpilogueKind::kAlphaBeta) return;
    alpha = p.epilogue.alpha;
    beta = p.epilogue.beta;
  }
};

void gemm_ex(cublasHandle_t handle, const gemm::Problem& p) {
  const Call c(p);
  check(cublasGemmEx_64(handle, c.op_b, c.op_a, p.n, p.m, p.k, &c.alpha, p.b, c.type, p.ldb, p.a,
                        c.type, p.lda, &c.beta, p.c, c.c_type, p.ldc, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT));
}

using Preference = Owned<cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t>;
using Operation = Owned<cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t>;
using Layout = Owned<cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t>;

// Of one problem's matrices, shared by all its algorithms.
struct Descriptors {
  Operation operation;
  Layout a, b, c;

  explicit Descriptors(const gemm::Problem& p) {
    const Call call(p);
    check(cublasLtMatmulDescCreate(&operation.handle, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const auto set_op = [&](cublasLtMatmulDescAttributes_t attribute, cublasOperation_t op) {
      check(cublasLtMatmulDescSetAttribute(operation, attribute, &op, sizeof op));
    };
    set_op(CUBLASLT_MATMUL_DESC_TRANSA, call.op_b);
    set_op(CUBLASLT_MATMUL_DESC_TRANSB, call.op_a);
    const auto layout = [](Layout& made, cudaDataType_t type, const gemm::Stored& stored) {
      check(cublasLtMatrixLayoutCreate(&made.handle, type,
                                       static_cast<std::uint64_t>(stored.length),
                                       static_cast<std::uint64_t>(stored.lines), stored.ld));
    };
    layout(a, call.type, gemm::stored_a(p));
    layout(b, call.type, gemm::stored_b(p));
    layout(c, call.c_type, gemm::stored_c(p));
  }
};

}  // namespace

Cublas::Cublas(gpu::Stream stream) : stream_(stream), workspace_(kWorkspaceBytes) {
  check(cublasCreate(&handle_.handle));
  check(cublasSetStream(handle_, stream));
  check(cublasSetWorkspace(handle_, workspace_.data(), kWorkspaceBytes));
}

std::string Cublas::version() {
  const std::size_t v = cublasLtGetVersion();
  return formatted("%zu.%zu.%zu", v / 10000, v / 100 % 100, v % 100);
}

std::optional<std::string> Cublas::why_unsuited(const gemm::Problem& p) {
  if (p.epilogue.kind != gemm::EpilogueKind::kBiasRelu) return std::nullopt;
  return "cublasGemmEx has no bias and ReLU to compare this epilogue with";
}

Plan Cublas::default_gemm(const gemm::Problem& problem) const {
  // The handle has its own stream; another would take away its workspace.
  return [=, handle = handle_.handle](gpu::Stream) { gemm_ex(handle, problem); };
}

void Cublas::compute_precisely(const gemm::Problem& problem) const {
  const auto set_mode = [&](int mode) {
    check(cublasSetMathMode(handle_, static_cast<cublasMath_t>(mode)));
  };
  set_mode(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  gemm_ex(handle_, problem);
  set_mode(CUBLAS_DEFAULT_MATH);
  gpu::check(cudaStreamSynchronize(stream_), "cuBLAS");
}

std::vector<std::vector<Plan>> Cublas::proposals(const std::vector<gemm::Problem>& sets) const {
  const auto handle = reinterpret_cast<cublasLtHandle_t>(handle_.handle);  // takes the same
  const auto d = std::make_shared<const Descriptors>(sets.front());
  // Pointers are aligned to the 256 bytes that are expected where nothing else is said.
  Preference preference;
  check(cublasLtMatmulPreferenceCreate(&preference.handle));
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value));
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes});
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});

  cublasLtMatmulHeuristicResult_t results[kMostProposals];
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, d->operation, d->b, d->a, d->c, d->c, preference, kMostProposals, results, &found);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status);
  std::vector<std::vector<Plan>> out;
  for (const auto* result = results; result != results + found; ++result) {
    if (result->state != CUBLAS_STATUS_SUCCESS || result->workspaceSize > kWorkspaceBytes) continue;
    out.emplace_back();
    for (const gemm::Problem& p : sets) {
      out.back().push_back(
          [=, algorithm = result->algo, workspace = workspace_.data()](gpu::Stream stream) {
            const Call c(p);
            check(cublasLtMatmul(handle, d->operation, &c.alpha, p.b, d->b, p.a, d->a, &c.beta, p.c,
                                 d->c, p.c, d->c, &algorithm, workspace, kWorkspaceBytes, stream));
          });
    }
  }
  return out;
}

std::vector<Plan> Cublas::best(const std::vector<gemm::Problem>& sets, Progress& progress) const {
  const auto all = proposals(sets);
  // Short rests suffice to tell the good ones from the bad; all get the same.
  const TimingConfig quick = {.rest_ms = 20, .burst_ms = 1};
  std::vector<std::pair<double, std::size_t>> ranked;  // milliseconds, proposal
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress.show(formatted("cublas: proposal %zu of %zu", i + 1, all.size()));
    try {
      all[i].front().run(stream_);
      gpu::check(cudaStreamSynchronize(stream_), "cuBLAS");
      TimedWork work(all[i], quick, stream_);
      work.sample();
      ranked.emplace_back(work.samples().front(), i);
    } catch (const core::DeviceError&) {
      // Proposed, yet refused when launched. A fault of the device itself stays and is reported by
      // whatever runs next; a refusal is forgotten here.
      cudaGetLastError();
    }
  }
  if (ranked.empty()) return {};
  std::ranges::sort(ranked);
  if (ranked.size() > kFinalists) ranked.resize(kFinalists);

  std::vector<TimedWork> finalists;
  for (const auto& [ms, i] : ranked) finalists.emplace_back(all[i], TimingConfig{}, stream_);
  for (const Turn& turn : turns(std::vector<double>(finalists.size()), kFinalRounds, 1e9)) {
    finalists[turn.kernel].sample();
  }
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i].first = estimate(finalists[i].samples()).median;
  }
  return all[std::ranges::min(ranked).second];
}

}  // namespace harness
