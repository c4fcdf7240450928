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

namespace gpu {

// Opaque. A kernel takes it as `const __grid_constant__ gpu::TensorMap`, so that its address is
// that of the parameter itself: a copy on the stack or in global memory would need fences of its
// own.
struct TensorMap {
  CUtensorMap map;
};
static_assert(sizeof(TensorMap) == 128);

namespace detail {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// The driver's function, asked of the runtime, so that nothing links with the driver itself. Looked
// up once. Throws core::DeviceError when the driver is too old to have it.
inline EncodeTiled encode_tiled() {
  static const EncodeTiled function = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                           cudaEnableDefault, &found),
          "cudaGetDriverEntryPointByVersion");
#else
    check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found),
          "cudaGetDriverEntryPoint");
#endif
    if (found != cudaDriverEntryPointSuccess || entry == nullptr) {
      throw core::DeviceError(
          "the CUDA driver has no cuTensorMapEncodeTiled; it came with CUDA 12");
    }
    return reinterpret_cast<EncodeTiled>(entry);
  }();
  return function;
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
  const detail::EncodeTiled encode = detail::encode_tiled();
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

}  // namespace gpu
