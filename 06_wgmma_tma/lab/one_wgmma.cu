// One experiment: its operands, shared memory as it is to be, the launch, and what is wrong with D.

#include "one_wgmma.cuh"

#include <gemm/random.hpp>
#include <gpu/launch.hpp>
#include <test/device_array.hpp>

#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

namespace wgmma_lab {

namespace {

constexpr int kBits = 16;  // of an element

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

// `boxes`: the atoms in the order in which TMA brings them, whose boxes are one atom wide (an
// MN-major tile goes along k first); else along the rows first, as wgmma_tile() puts them.
Operand operand(const Form& form, int rows, int k, int start, bool boxes) {
  const int width = form.span() / 2, swizzle = form.swizzle == kNone ? 0 : form.span();
  const layout::IntTuple shape{round_up(rows, form.k_major() ? 8 : width),
                               round_up(k, form.k_major() ? width : 8)};
  const layout::Swizzled atom = layout::wgmma_atom(form.major, swizzle, kBits);
  const int first = boxes && !form.k_major() ? 1 : 0;
  const layout::Swizzled tile = tile_to_shape(atom, shape, layout::IntTuple{first, 1 - first});
  return {form, rows, k, start, tile, layout::wgmma_strides(tile, form.major, swizzle, kBits)};
}

// Where the hardware looks for element (row, col), col < 16, of a tile at 0 with this descriptor
// (PTX ISA, "Strides" of wgmma's matrix descriptor). Bytes.
int looked_up(const core::MatrixDescriptorFields& fields, bool k_major, int row, int col) {
  const int span = core::span_bytes(fields.swizzle), width = span / 2;
  const bool plain = fields.swizzle == kNone;
  const int leading = fields.leading_bytes, stride = fields.stride_bytes;
  const int offset =
      k_major ? row / 8 * stride + row % 8 * span + col / 8 * (plain ? leading : 16) + col % 8 * 2
              : row / width * (plain ? stride : leading) + row % width * 2 +
                    col / 8 * (plain ? leading : stride) + col % 8 * span;
  return static_cast<int>(core::swizzled(fields.swizzle, static_cast<std::uint32_t>(offset)));
}

using Kernel = void (*)(gpu::TensorMap, gpu::TensorMap, Arguments);

Kernel kernel_of(const Case& c) {
  using enum Major;
  const bool a_k = c.form_a.k_major(), b_k = c.form_b.k_major();
  if (c.a_in_registers) {
    return b_k ? lab_kernel<float, true, kK, kK> : lab_kernel<float, true, kK, kMn>;
  }
  if (!a_k) return b_k ? lab_kernel<float, false, kMn, kK> : lab_kernel<float, false, kMn, kMn>;
  if (!b_k) return lab_kernel<float, false, kK, kMn>;
  if (c.fp16_accumulators) return lab_kernel<std::uint32_t, false, kK, kK>;
  const Kernel by_signs[] = {
      lab_kernel<float, false, kK, kK>, lab_kernel<float, false, kK, kK, 1, -1>,
      lab_kernel<float, false, kK, kK, -1, 1>, lab_kernel<float, false, kK, kK, -1, -1>};
  return by_signs[(c.sign_a < 0 ? 2 : 0) + (c.sign_b < 0 ? 1 : 0)];
}

// What stands in A and in B: integers from -4 to 4.
int value_of(char which, int row, int col) {
  const auto place = static_cast<std::uint64_t>(64 * row + col);
  return static_cast<int>(gemm::counter_bits(static_cast<unsigned>(which), place) % 9) - 4;
}
fp16 element_of(char which, int row, int col) {
  return core::from_float<fp16>(static_cast<float>(value_of(which, row, col)));
}

// An operand's side of a launch: its memory, its map, what the kernel is told.
struct Side {
  char which;
  Operand operand;
  std::optional<test::DeviceArray<fp16>> memory = {};
  gpu::TensorMap map = {};

  OperandArguments place(bool tma) {
    const bool by_rows = !tma || operand.form.k_major();  // TMA copies memory as it lies
    int inner = operand.k, outer = operand.rows;
    if (!by_rows) std::swap(inner, outer);
    const int width = operand.form.span() / 2;  // of a box
    std::vector<fp16> stored;
    for (int i = 0; i < inner * outer; ++i) {
      const int along = i % inner, across = i / inner;
      stored.push_back(by_rows ? element_of(which, across, along)
                               : element_of(which, along, across));
    }
    memory.emplace(stored);
    OperandArguments out{.descriptor = operand.descriptor(),
                         .advance = {},
                         .boxes = round_up(inner, width) / width,
                         .box_elements = width,
                         .box_bytes = outer * operand.form.span()};
    for (int step = 0; step < operand.k / kStepK; ++step) out.advance[step] = operand.advance(step);
    if (!tma) return out;
    map = gpu::make_tensor_map(
        memory->data(),
        {.rank = 2,
         .size = {static_cast<std::uint64_t>(inner), static_cast<std::uint64_t>(outer)},
         .stride_bytes = {0, 2 * static_cast<std::uint64_t>(inner)},
         .box = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(outer)},
         .swizzle = operand.form.swizzle});
    return out;
  }
};

// What is wrong with D, column-major; empty when nothing is.
std::string complaint(const Case& c, const std::vector<float>& d) {
  int wrong = 0;
  std::string first;
  for (int i = 0; i < kRowsA * kRowsB; ++i) {
    const int row = i / kRowsB, col = i % kRowsB;
    int sum = 0;
    for (int k = 0; k < c.k; ++k) sum += value_of('A', row, k) * value_of('B', col, k);
    sum *= c.sign_a * c.sign_b;
    const double got = d[static_cast<std::size_t>(row + kRowsA * col)];
    if (got == sum || wrong++ > 0) continue;  // never equal with NaN
    char number[32] = "NaN";
    if (!std::isnan(got)) std::snprintf(number, sizeof number, "%g", got);
    first = layout::join("D(", row, ",", col, ") is ", number, " instead of ", sum);
  }
  if (wrong == 0) return "";
  return layout::join(wrong, " of ", kRowsA * kRowsB, " results are wrong; the first, ", first);
}

}  // namespace

std::string Form::name(char rows) const {
  return std::string(1, k_major() ? 'K' : rows) + "-major, " + to_string(swizzle) + " swizzle";
}

core::MatrixDescriptorFields Operand::descriptor() const {
  return {static_cast<std::uint32_t>(start), static_cast<int>(strides.leading) * 16,
          static_cast<int>(strides.stride) * 16, form.swizzle};
}

std::string Operand::misread(const core::MatrixDescriptorFields& fields) const {
  for (int i = 0; i < rows * kStepK; ++i) {
    const int row = i % rows, col = i / rows;
    const int looked = looked_up(fields, form.k_major(), row, col), lies = byte(row, col);
    if (looked == lies) continue;
    return layout::join("row ", row, ", column ", col, ": at byte ", lies, " of the tile, ",
                        "the descriptor leads to byte ", looked, " (LBO ", fields.leading_bytes,
                        ", SBO ", fields.stride_bytes, ", ", fields.swizzle, " swizzle)");
  }
  return "";
}

Operand Case::a() const {
  return operand(form_a, kRowsA, k, 0, tma);
}
Operand Case::b() const {
  return operand(form_b, kRowsB, k, a_in_registers ? 0 : round_up(a().bytes(), 1024), tma);
}

std::string run(const Case& c, const Change& change) {
  Side a{'A', c.a()}, b{'B', c.b()};
  const test::DeviceArray<float> d(kRowsA * kRowsB, 0xff);  // NaN
  Arguments job{};
  job.a = a.place(c.tma);
  job.b = b.place(c.tma);
  job.steps = c.k / kStepK;
  job.a_values = a.memory->data();
  job.smem_bytes = round_up(b.operand.start + b.operand.bytes(), 1024) + (c.tma ? 16 : 0);
  job.announced_bytes =
      static_cast<unsigned>(job.a.boxes * job.a.box_bytes + job.b.boxes * job.b.box_bytes);
  job.d = d.data();
  if (change) change(job);

  // NaN wherever no tile is: a wgmma that reads beside its tile shows it.
  std::vector<fp16> image(static_cast<std::size_t>(job.smem_bytes / 2), fp16{0xffff});
  const auto write = [&](const Side& side, std::size_t start) {
    for (int row = 0; row < side.operand.rows; ++row) {
      for (int col = 0; col < c.k; ++col) {
        const auto byte = static_cast<std::size_t>(side.operand.byte(row, col));
        image[(start + byte) / 2] = element_of(side.which, row, col);
      }
    }
  };
  if (!c.a_in_registers) write(a, job.a.descriptor.address);
  write(b, job.b.descriptor.address);
  const test::DeviceArray<fp16> device_image(image);
  if (!c.tma) job.image = device_image.data();

  const Kernel kernel = kernel_of(c);
  const gpu::LaunchShape shape = {.grid = dim3(1),
                                  .block = dim3(kThreads),
                                  .dynamic_smem = static_cast<std::size_t>(job.smem_bytes)};
  gpu::launch(kernel, gpu::launch_shape(kernel, shape), nullptr, a.map, b.map, job);
  gpu::synchronize();
  const std::string why = complaint(c, d.values());
  const std::string misread = a.operand.misread(job.a.descriptor);
  return why.empty() || c.a_in_registers || misread.empty() ? why : why + "; operand A, " + misread;
}

}  // namespace wgmma_lab
