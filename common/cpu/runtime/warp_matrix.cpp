#include <core/numeric.hpp>
#include <core/vector_clones.hpp>
#include <runtime/gang.hpp>
#include <runtime/tracer.hpp>

#include <bit>
#include <cstring>

namespace runtime {

namespace {

struct Move {
  std::uint32_t* registers;
  const std::byte* row;
  int count;
  bool transposed;
  Site where;
};

const Move& move_of(void* const* operands, unsigned lane) {
  return *static_cast<const Move*>(operands[lane]);
}

// The two elements of an 8x8 matrix that a lane holds, as row and column.
struct Pair {
  unsigned row[2], column[2];
};
Pair pair_of(unsigned lane, bool transposed) {
  const unsigned major = lane / 4, minor = lane % 4 * 2;
  if (transposed) return {{minor, minor + 1}, {major, major}};
  return {{major, major}, {minor, minor + 1}};
}

// The eight rows of a matrix, between shared memory and `elements`.
void move_rows(Warp& warp, void* const* operands, int matrix, std::uint16_t (&elements)[8][8],
               Access access) {
  std::uint64_t rows[8];
  for (unsigned row = 0; row < 8; ++row) {
    const unsigned lane = static_cast<unsigned>(matrix) * 8 + row;
    const Move& move = move_of(operands, lane);
    check_shared(move.row, kChunk, access, move.where);
    note_shared(warp.lanes[lane], move.row, kChunk, access, move.where);
    if (access == Access::kLoad) {
      std::memcpy(elements[row], move.row, kChunk);
    } else {
      std::memcpy(const_cast<std::byte*>(move.row), elements[row], kChunk);
    }
    rows[row] = reinterpret_cast<std::uintptr_t>(move.row);
  }
  Tracer* trace = warp.block->gang->trace();
  if (trace != nullptr) trace->matrix(rows, matrix == 0, access);
}

// ldmatrix or stmatrix of the whole warp.
template <Access access>
void move_all(Warp& warp, void* const* operands) {
  const Move& first = move_of(operands, 0);
  for (int matrix = 0; matrix < first.count; ++matrix) {
    std::uint16_t elements[8][8];
    if (access == Access::kLoad) move_rows(warp, operands, matrix, elements, access);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const Pair pair = pair_of(lane, first.transposed);
      std::uint16_t& low = elements[pair.row[0]][pair.column[0]];
      std::uint16_t& high = elements[pair.row[1]][pair.column[1]];
      std::uint32_t& both = move_of(operands, lane).registers[matrix];
      if (access == Access::kLoad) {
        both = low | static_cast<std::uint32_t>(high) << 16;
      } else {
        low = static_cast<std::uint16_t>(both), high = static_cast<std::uint16_t>(both >> 16);
      }
    }
    if (access == Access::kStore) move_rows(warp, operands, matrix, elements, access);
  }
}

struct Product {
  float* d;
  const std::uint32_t* a;
  const std::uint32_t* b;
  bool bf16;
};

template <class T>
void unpack(std::uint32_t packed, float* low, float* high) {
  *low = core::to_float(std::bit_cast<T>(static_cast<std::uint16_t>(packed)));
  *high = core::to_float(std::bit_cast<T>(static_cast<std::uint16_t>(packed >> 16)));
}

// Fragments: PTX ISA, "Matrix Fragments for mma.m16n8k16".
template <class T>
void unpack_all(void* const* operands, float (*a)[16], float (*b)[8]) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const auto& mine = *static_cast<const Product*>(operands[lane]);
    const unsigned group = lane / 4, pair = lane % 4 * 2;
    unpack<T>(mine.a[0], &a[group][pair], &a[group][pair + 1]);
    unpack<T>(mine.a[1], &a[group + 8][pair], &a[group + 8][pair + 1]);
    unpack<T>(mine.a[2], &a[group][pair + 8], &a[group][pair + 9]);
    unpack<T>(mine.a[3], &a[group + 8][pair + 8], &a[group + 8][pair + 9]);
    unpack<T>(mine.b[0], &b[pair][group], &b[pair + 1][group]);
    unpack<T>(mine.b[1], &b[pair + 8][group], &b[pair + 9][group]);
  }
}

void multiply_all(Warp& warp, void* const* operands) {
  warp.block->gang->work().tensor_flops += 2 * 16 * 8 * 16;
  float a[16][16], b[16][8], d[16][8] = {};
  if (static_cast<const Product*>(operands[0])->bf16) {
    unpack_all<core::bf16>(operands, a, b);
  } else {
    unpack_all<core::fp16>(operands, a, b);
  }
  multiply_add(d[0], a[0], b[0], 16, 8, 16);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    float* out = static_cast<const Product*>(operands[lane])->d;
    const unsigned group = lane / 4, pair = lane % 4 * 2;
    out[0] += d[group][pair];
    out[1] += d[group][pair + 1];
    out[2] += d[group + 8][pair];
    out[3] += d[group + 8][pair + 1];
  }
}

}  // namespace

void load_matrices(std::uint32_t* out, const void* row, int count, bool transposed, Site where) {
  Move move{out, static_cast<const std::byte*>(row), count, transposed, where};
  meet_warp("ldmatrix", where, 0, move_all<Access::kLoad>, &move);
}

void store_matrices(void* row, const std::uint32_t* in, int count, bool transposed, Site where) {
  // The registers are only read; one struct serves both directions.
  Move move{const_cast<std::uint32_t*>(in), static_cast<const std::byte*>(row), count, transposed,
            where};
  meet_warp("stmatrix", where, 0, move_all<Access::kStore>, &move);
}

void multiply_m16n8k16(float* d, const std::uint32_t* a, const std::uint32_t* b, bool bf16,
                       Site where) {
  Product product{d, a, b, bf16};
  meet_warp("mma_m16n8k16", where, 0, multiply_all, &product);
}

// Eight neighbours, added and multiplied element by element.
using Eight [[gnu::vector_size(32)]] = float;

CORE_VECTOR_CLONES
void multiply_add(float* d, const float* a, const float* b, int rows, int columns, int depth) {
  constexpr int kRows = 4;  // at a time: each value of B serves them all
  for (int row = 0; row < rows; row += kRows) {
    for (int column = 0; column < columns; column += 8) {
      float* out = d + row * columns + column;
      Eight sum[kRows];
      for (int i = 0; i < kRows; ++i) std::memcpy(&sum[i], out + i * columns, sizeof sum[i]);
      for (int k = 0; k < depth; ++k) {
        Eight values;
        std::memcpy(&values, b + k * columns + column, sizeof values);
        for (int i = 0; i < kRows; ++i) sum[i] += a[(row + i) * depth + k] * values;
      }
      for (int i = 0; i < kRows; ++i) std::memcpy(out + i * columns, &sum[i], sizeof sum[i]);
    }
  }
}

}  // namespace runtime
