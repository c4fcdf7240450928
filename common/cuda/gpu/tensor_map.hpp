#pragma once
// Descriptions of tensors for TMA, made on the host (CUDA driver API, cuTensorMapEncodeTiled).
// Includes no device code; any C++ compiler takes it.

#include <gpu/host.hpp>

#include <core/error.hpp>
#include <core/modes.hpp>
#include <core/numeric.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <concepts>
#include <string>

namespace gpu {

// Opaque. A kernel takes it as `const __grid_constant__ gpu::TensorMap`, so that its address is
// that of the parameter itself: a copy on the stack or in global memory would need fences of its
// own.
struct TensorMap {
  CUtensorMap map;
};
static_assert(sizeof(TensorMap) == 128);

namespace detail {

// A function of the driver, asked of the runtime, so that nothing links with the driver itself.
// Throws core::DeviceError when the driver is too old to have it.
template <class Function>
Function driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found), name);
#else
  check(cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found), name);
#endif
  if (found != cudaDriverEntryPointSuccess || entry == nullptr) {
    throw core::DeviceError(std::string("the CUDA driver has no ") + name +
                            "; it came with CUDA 12");
  }
  return reinterpret_cast<Function>(entry);
}

template <class T>
constexpr CUtensorMapDataType tensor_map_element() {
  if constexpr (std::same_as<T, core::bf16>) {
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  } else if constexpr (std::same_as<T, core::fp16>) {
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  } else {
    static_assert(std::same_as<T, float>, "core::bf16, core::fp16 or float");
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  }
}

// The driver numbers swizzles and promotions in the same order.
static_assert(CU_TENSOR_MAP_SWIZZLE_128B == static_cast<int>(core::SwizzleMode::k128B));
static_assert(CU_TENSOR_MAP_L2_PROMOTION_L2_256B == static_cast<int>(core::L2Promotion::k256B));

}  // namespace detail

// The map of a tensor at `base` in device memory. T is core::bf16, core::fp16 or float; elements of
// a box are neighbours (element strides 1, no interleave), and those outside the tensor read as
// zeros and are not written. Throws core::Refused if `shape` breaks a rule of the hardware,
// core::DeviceError if the driver lacks the function or rejects the call.
template <class T>
TensorMap make_tensor_map(const T* base, const core::TensorMapShape& shape) {
  core::require_valid(shape, base, static_cast<int>(sizeof(T)));
  static const auto encode =
      detail::driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const cuuint32_t element_strides[5] = {1, 1, 1, 1, 1};
  const auto rank = static_cast<cuuint32_t>(shape.rank);
  cuuint64_t size[5] = {}, outer_strides[4] = {};
  for (int d = 0; d < shape.rank; ++d) {
    size[d] = shape.size[d];
    if (d > 0) outer_strides[d - 1] = shape.stride_bytes[d];
  }
  TensorMap out = {};
  const CUresult result = encode(
      &out.map, detail::tensor_map_element<T>(), rank, const_cast<T*>(base), size, outer_strides,
      shape.box.data(), element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
      static_cast<CUtensorMapSwizzle>(shape.swizzle),
      static_cast<CUtensorMapL2promotion>(shape.promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  // The runtime numbers its errors as the driver does.
  check(static_cast<cudaError_t>(result), "cuTensorMapEncodeTiled");
  return out;
}

// Moves the map to a tensor of the same shape at `base`, a multiple of 16 bytes, in a fraction of
// the time that encoding takes. Throws core::DeviceError if the driver rejects it.
inline void replace_address(TensorMap& map, const void* base) {
  static const auto replace =
      detail::driver_function<decltype(&cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  check(static_cast<cudaError_t>(replace(&map.map, const_cast<void*>(base))),
        "cuTensorMapReplaceAddress");
}

}  // namespace gpu
