// The operator every_shape::linear over the C interface. It links with no part of CUDA: the
// libraries are loaded when a tensor of their device comes, and streams are asked of PyTorch. So
// the same source serves a PyTorch with CUDA and one without.

#include "../../../every_shape.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/hash.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/extension.h>
#include <torch/library.h>

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using at::Tensor;
using Bias = std::optional<Tensor>;

// As every_shape/__init__.py numbers them.
enum Activation : std::int64_t { kNone, kRelu, kGelu, kSilu, kActivations };

// --- The libraries ------------------------------------------------------------------------------

std::string own_folder() {
  if (const char* folder = std::getenv("EVERY_SHAPE_LIBRARIES")) return folder;
  Dl_info info = {};
  dladdr(reinterpret_cast<const void*>(&own_folder), &info);
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

// One of the two libraries, of the version that this operator is for.
struct LibraryFile {
  std::string file;
  void* handle;

  explicit LibraryFile(const std::string& name) : file(name) {
    const std::string path = own_folder() + "/" + file;
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    TORCH_CHECK(handle != nullptr, "every_shape: cannot load ", path, " (", dlerror(),
                "): pip builds it, libevery_shape.so where there is a CUDA compiler");
    const int version = find<decltype(&every_shape_version)>("version")();
    TORCH_CHECK(version == EVERY_SHAPE_VERSION, "every_shape: ", file, " is of version ", version,
                ", the operator of version ", EVERY_SHAPE_VERSION, ": install the package again");
  }
  template <class Function>
  Function find(const std::string& name) const {
    void* const found = dlsym(handle, ("every_shape_" + name).c_str());
    TORCH_CHECK(found != nullptr, "every_shape: ", file, " has no every_shape_", name,
                ": install the package again");
    return reinterpret_cast<Function>(found);
  }
};

// The functions of every_shape.h in it.
struct Library : LibraryFile {
  using LibraryFile::LibraryFile;
  decltype(&every_shape_last_error) last_error = find<decltype(last_error)>("last_error");
  decltype(&every_shape_create) create = find<decltype(create)>("create");
  decltype(&every_shape_destroy) destroy = find<decltype(destroy)>("destroy");
  decltype(&every_shape_workspace_bytes) workspace_bytes =
      find<decltype(workspace_bytes)>("workspace_bytes");
  decltype(&every_shape_clear_workspace) clear_workspace =
      find<decltype(clear_workspace)>("clear_workspace");
  decltype(&every_shape_run) run = find<decltype(run)>("run");
  decltype(&every_shape_is_capturing) is_capturing = find<decltype(is_capturing)>("is_capturing");
  decltype(&every_shape_allocate) allocate = find<decltype(allocate)>("allocate");
  decltype(&every_shape_free) free = find<decltype(free)>("free");
  decltype(&every_shape_upload) upload = find<decltype(upload)>("upload");
  decltype(&every_shape_download) download = find<decltype(download)>("download");

  // Turns a status into an exception with its line.
  void demand(int status) const {
    TORCH_CHECK_VALUE(status != EVERY_SHAPE_REFUSED, last_error());
    TORCH_CHECK(status == EVERY_SHAPE_OK, last_error());
  }
};

const Library& library_for(const Tensor& x) {
  if (x.is_cuda()) {
    static const Library cuda("libevery_shape.so");
    return cuda;
  }
  static const Library cpu("libevery_shape_cpu.so");
  return cpu;
}

// --- Operands -----------------------------------------------------------------------------------

// What shapes, types and devices must be, of tensors with data or without.
void check(const Tensor& x, const Tensor& weight, const Bias& bias, std::int64_t activation) {
  TORCH_CHECK_VALUE(activation >= 0 && activation < kActivations, "linear: no activation ",
                    activation);
  TORCH_CHECK_VALUE(x.dim() > 0, "linear: x has no dimension; its last one is K");
  TORCH_CHECK_VALUE(weight.dim() == 2, "linear: weight (N, K) has 2 dimensions, not ",
                    weight.dim());
  TORCH_CHECK_VALUE(x.sym_size(-1) == weight.sym_size(1), "linear: x has ", x.sym_size(-1),
                    " columns, weight ", weight.sym_size(1), ": they share K");
  TORCH_CHECK_TYPE(x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf,
                   "linear: x is ", x.scalar_type(), "; the kernel takes BFloat16 and Half");
  const auto check_like_x = [&](const char* name, const Tensor& other) {
    TORCH_CHECK_TYPE(other.scalar_type() == x.scalar_type(), "linear: ", name, " is ",
                     other.scalar_type(), ", x is ", x.scalar_type());
    TORCH_CHECK_VALUE(other.device() == x.device(), "linear: ", name, " is on ", other.device(),
                      ", x is on ", x.device());
  };
  check_like_x("weight", weight);
  if (!bias) return;
  check_like_x("bias", *bias);
  TORCH_CHECK_VALUE(bias->dim() == 1 && bias->sym_size(0) == weight.sym_size(0),
                    "linear: bias has shape ", bias->sym_sizes(), "; one element for each of the ",
                    weight.sym_size(0), " rows of weight is needed");
}

std::vector<c10::SymInt> result_sizes(const Tensor& x, const Tensor& weight) {
  std::vector<c10::SymInt> sizes = x.sym_sizes().vec();
  sizes.back() = weight.sym_size(0);
  return sizes;
}

// x as (M, K), its other dimensions folded into one.
Tensor folded(const Tensor& x) {
  if (x.dim() == 2) return x;
  return x.reshape_symint(
      {c10::multiply_integers(x.sym_sizes().slice(0, x.dim() - 1)), x.sym_size(-1)});
}

// Elements from one row to the next, as TMA can take them.
std::int64_t row_distance(const char* name, const Tensor& matrix) {
  const std::int64_t rows = matrix.size(0), length = matrix.size(1);
  if (rows == 0 || length == 0) return length;
  TORCH_CHECK_VALUE(length == 1 || matrix.stride(1) == 1, "linear: neighbours in a row of ", name,
                    " are ", matrix.stride(1), " elements apart, not 1; ", name,
                    ".contiguous() copies it into rows");
  const std::int64_t distance = rows == 1 ? length : matrix.stride(0);
  TORCH_CHECK_VALUE(distance % 8 == 0, "linear: rows of ", name, " are ", distance,
                    " elements apart; TMA needs a multiple of 8: pad K");
  TORCH_CHECK_VALUE(distance >= length, "linear: rows of ", name, " overlap (", distance,
                    " elements apart)");
  const auto rest = reinterpret_cast<std::uintptr_t>(matrix.const_data_ptr()) % 16;
  TORCH_CHECK_VALUE(rest == 0, "linear: ", name, " begins ", rest,
                    " bytes behind a multiple of 16; TMA needs one: ", name, ".clone() has it");
  return distance;
}

// --- Plans --------------------------------------------------------------------------------------

// What a plan depends on but for addresses: C is new memory, whose alignment is always the same.
// The CPU is device -1.
auto key_of(const every_shape_problem& p, c10::Device device) {
  return std::tuple(device.index(), p.type, p.epilogue, p.m, p.n, p.k, p.lda, p.ldb);
}
using Key = std::invoke_result_t<decltype(key_of), every_shape_problem, c10::Device>;

struct Plan {
  const Library& library;
  every_shape_plan* plan = nullptr;
  std::size_t workspace_bytes = 0;

  Plan(const Library& of, const every_shape_problem& problem) : library(of) {
    library.demand(library.create(&problem, &plan));
    workspace_bytes = library.workspace_bytes(plan);
  }
  ~Plan() { library.destroy(plan); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

// Kept plans. A thread that runs one holds it, so that it may be forgotten meanwhile.
class Plans {
 public:
  static constexpr std::size_t kMost = 4096;  // of about 1 KB each

  std::shared_ptr<const Plan> of(const Library& library, const every_shape_problem& problem,
                                 c10::Device device) {
    const Key key = key_of(problem, device);
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    }
    auto plan = std::make_shared<const Plan>(library, problem);
    const std::lock_guard lock(mutex_);
    if (plans_.size() >= kMost) plans_.clear();
    return plans_.try_emplace(key, std::move(plan)).first->second;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<const Plan>, c10::hash<Key>> plans_;
};
// Never destroyed: the driver may be gone by then.
Plans& plans() {
  static Plans& all = *new Plans;
  return all;
}

// A workspace for a launch on the stream: each stream keeps one, since its launches do not overlap.
// A graph gets its own, out of its own memory, because its launches may overlap with anybody's.
Tensor workspace_on(const Library& library, c10::Stream stream, std::size_t bytes) {
  void* const native = stream.native_handle();
  const auto make = [&] {
    Tensor out = at::empty({static_cast<std::int64_t>(bytes)},
                           at::TensorOptions(stream.device()).dtype(at::kByte));
    library.demand(library.clear_workspace(out.mutable_data_ptr(), native));
    return out;
  };
  if (library.is_capturing(native) != 0) return make();
  static std::mutex mutex;
  static auto& kept = *new std::unordered_map<c10::Stream, Tensor>;
  const std::lock_guard lock(mutex);
  Tensor& own = kept[stream];
  if (!own.defined() || own.nbytes() < bytes) own = make();
  return own;
}

// --- Running ------------------------------------------------------------------------------------

every_shape_epilogue epilogue_of(bool bias, std::int64_t activation) {
  constexpr every_shape_epilogue kOf[] = {EVERY_SHAPE_BIAS, EVERY_SHAPE_BIAS_RELU,
                                          EVERY_SHAPE_BIAS_GELU, EVERY_SHAPE_BIAS_SILU};
  if (!bias && activation == kNone) return EVERY_SHAPE_IDENTITY;
  return kOf[activation];  // a null bias is zeros
}

void run_on_gpu(const Library& library, const every_shape_problem& problem, c10::Device device) {
  const c10::DeviceGuard guard(device);
  const auto plan = plans().of(library, problem, device);
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  Tensor workspace;
  if (plan->workspace_bytes > 0) workspace = workspace_on(library, stream, plan->workspace_bytes);
  library.demand(library.run(plan->plan, &problem.at,
                             workspace.defined() ? workspace.mutable_data_ptr() : nullptr,
                             stream.native_handle()));
}

// Bytes in memory that the CPU backend knows, as far from 16-byte alignment as they were.
struct Held {
  const Library& library;
  void* memory = nullptr;
  std::size_t bytes, offset;

  Held(const Library& of, const void* host, std::size_t count)
      : library(of), bytes(count), offset(reinterpret_cast<std::uintptr_t>(host) % 16) {
    library.demand(library.allocate(&memory, offset + bytes));
    library.demand(library.upload(data(), host, bytes));
  }
  Held(const Library& of, const Tensor& tensor)
      : Held(of, tensor.const_data_ptr(), bytes_of(tensor)) {}
  ~Held() { library.free(memory); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void* data() const { return static_cast<char*>(memory) + offset; }
  // From its first element to its last.
  static std::size_t bytes_of(const Tensor& tensor) {
    if (tensor.numel() == 0) return 0;
    std::int64_t last = 0;
    for (std::int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
    return static_cast<std::size_t>(last + 1) * tensor.element_size();
  }
};

void run_on_cpu(const Library& library, every_shape_problem problem, const Tensor& x,
                const Tensor& weight, const Bias& bias, const Tensor& out) {
  const Held a(library, x), b(library, weight), c(library, out);
  std::optional<Held> column;
  if (bias) column.emplace(library, *bias);
  problem.at = {a.data(), b.data(), c.data(), column ? column->data() : nullptr};
  const auto plan = plans().of(library, problem, out.device());
  const std::vector<char> zeros(plan->workspace_bytes);
  const Held workspace(library, zeros.data(), zeros.size());
  library.demand(library.run(plan->plan, &problem.at, workspace.data(), nullptr));
  library.demand(library.download(out.mutable_data_ptr(), c.data(), c.bytes));
}

Tensor linear(const Tensor& x, const Tensor& weight, const Bias& bias, std::int64_t activation) {
  check(x, weight, bias, activation);
  const Tensor rows = folded(x);
  const Bias column = bias ? Bias(bias->contiguous()) : Bias();
  const void* const of_column = bias ? column->const_data_ptr() : nullptr;
  const std::int64_t m = rows.size(0), n = weight.size(0), k = weight.size(1);
  const std::int64_t lda = row_distance("x", rows), ldb = row_distance("weight", weight);
  Tensor out = at::empty_symint(result_sizes(x, weight), x.options());
  if (out.numel() == 0) return out;
  const auto type = x.scalar_type() == at::kHalf ? EVERY_SHAPE_FP16 : EVERY_SHAPE_BF16;
  const every_shape_problem problem = {
      .m = m,
      .n = n,
      .k = k,
      .type = type,
      .c_type = type,
      .a_major = EVERY_SHAPE_K_CONTIGUOUS,
      .b_major = EVERY_SHAPE_K_CONTIGUOUS,
      .lda = lda,
      .ldb = ldb,
      .ldc = n,
      .epilogue = epilogue_of(bias.has_value(), activation),
      .alpha = 1,
      .beta = 0,
      .at = {rows.const_data_ptr(), weight.const_data_ptr(), out.mutable_data_ptr(), of_column}};
  const Library& library = library_for(x);
  if (x.is_cuda()) {
    run_on_gpu(library, problem, x.device());
  } else {
    run_on_cpu(library, problem, rows, weight, column, out);
  }
  return out;
}

Tensor linear_without_data(const Tensor& x, const Tensor& weight, const Bias& bias,
                           std::int64_t activation) {
  check(x, weight, bias, activation);
  return at::empty_symint(result_sizes(x, weight), x.options());
}

// --- Gradients ----------------------------------------------------------------------------------

Tensor dispatched(const Tensor& x, const Tensor& weight, const Bias& bias,
                  std::int64_t activation) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("every_shape::linear", "")
                             .typed<decltype(linear)>();
  return op.call(x, weight, bias, activation);
}

// The gradients are products by torch's own operators. Those of GELU and SiLU need what goes into
// the activation, so it is computed first and kept, and the activation is a launch of its own;
// without gradients it is one launch.
class Linear : public torch::autograd::Function<Linear> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        const Tensor& weight, const Bias& bias, std::int64_t activation) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const bool smooth = activation == kGelu || activation == kSilu;
    const Tensor found = dispatched(x, weight, bias, smooth ? kNone : activation);
    context->save_for_backward({x, weight, activation == kNone ? Tensor() : found});
    context->saved_data["activation"] = activation;
    context->saved_data["bias"] = bias.has_value();
    if (activation == kGelu) return at::gelu(found, "tanh");
    return activation == kSilu ? at::silu(found) : found;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &found = saved[2];
    const std::int64_t activation = context->saved_data["activation"].toInt();
    Tensor grad = grads[0];
    if (activation == kRelu) grad = at::threshold_backward(grad, found, 0);
    if (activation == kGelu) grad = at::gelu_backward(grad, found, "tanh");
    if (activation == kSilu) grad = at::silu_backward(grad, found);
    const Tensor rows = folded(grad);
    Tensor of_x, of_weight, of_bias;
    if (context->needs_input_grad(0)) of_x = at::matmul(grad, weight);
    if (context->needs_input_grad(1)) of_weight = at::mm(rows.t(), folded(x));
    const bool has_bias = context->saved_data["bias"].toBool();
    if (has_bias && context->needs_input_grad(2)) of_bias = rows.sum(0);
    return {of_x, of_weight, of_bias, Tensor()};
  }
};

Tensor linear_with_gradients(const Tensor& x, const Tensor& weight, const Bias& bias,
                             std::int64_t activation) {
  const bool wanted =
      x.requires_grad() || weight.requires_grad() || (bias && bias->requires_grad());
  if (wanted && at::GradMode::is_enabled()) return Linear::apply(x, weight, bias, activation);
  const at::AutoDispatchBelowADInplaceOrView guard;
  return dispatched(x, weight, bias, activation);
}

// Under torch.autocast, what torch's own linear does.
template <c10::DeviceType kDevice>
Tensor linear_cast(const Tensor& x, const Tensor& weight, const Bias& bias,
                   std::int64_t activation) {
  const c10::impl::ExcludeDispatchKeyGuard guard(
      c10::DispatchKeySet(at::autocast::get_autocast_dispatch_key_from_device_type(kDevice)));
  const auto cast = [](const auto& tensor) {
    return at::autocast::cached_cast(at::autocast::get_autocast_dtype(kDevice), tensor, kDevice);
  };
  return dispatched(cast(x), cast(weight), cast(bias), activation);
}

}  // namespace

TORCH_LIBRARY(every_shape, library) {
  library.def("linear(Tensor x, Tensor weight, Tensor? bias=None, int activation=0) -> Tensor",
              {at::Tag::needs_fixed_stride_order, at::Tag::pt2_compliant_tag});
  using enum c10::DispatchKey;
  library.impl("linear", torch::dispatch(CUDA, linear));
  library.impl("linear", torch::dispatch(CPU, linear));
  library.impl("linear", torch::dispatch(Meta, linear_without_data));
  library.impl("linear", torch::dispatch(Autograd, linear_with_gradients));
  library.impl("linear", torch::dispatch(AutocastCUDA, linear_cast<c10::DeviceType::CUDA>));
  library.impl("linear", torch::dispatch(AutocastCPU, linear_cast<c10::DeviceType::CPU>));
}

// The same without what torch.ops costs a call.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("linear", dispatched, pybind11::call_guard<pybind11::gil_scoped_release>());
  module.def("plans_kept", [] { return plans().size(); });
}
