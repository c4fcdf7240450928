// TMA loads and stores: one box of a tensor of rank 2 to 5 into shared memory and back, clipped to
// the tensor; groups of stores (PTX ISA, "cp.async.bulk.tensor", "cp.async.bulk.wait_group").

#include "device.hpp"

#include <array>

namespace intrinsics::tma {

using enum core::SwizzleMode;

constexpr int kThreads = 128;
// Around the tile in shared memory, and the tensor in device memory, which starts at a multiple of
// 16 bytes and no more.
constexpr int kTileMargin = 1024, kTensorMargin = 1040, kLargestTile = 32 * 1024;

struct TileStorage {
  gpu::Mbarrier full;
  alignas(1024) std::uint32_t words[(2 * kTileMargin + kLargestTile) / 4];
  constexpr std::uint32_t* tile() { return words + kTileMargin / 4; }
};

struct Element {
  const char* name;
  int bytes;
  gpu::TensorMap (*map)(const void*, const core::TensorMapShape&);
};
const Element kBf16 = {"bf16", 2, map_of<core::bf16>}, kFp16 = {"fp16", 2, map_of<core::fp16>},
              kFloat = {"float", 4, map_of<float>};
const Element kElements[] = {kBf16, kFp16, kFloat};
constexpr core::SwizzleMode kModes[] = {kNone, k32B, k64B, k128B};

// --- What a copy of one box does, worked out on the host (PTX ISA, "Tensors"; CUDA driver API,
// "Tensor Map Object Management")

struct Place {
  int at[5];
  int first_byte = 0;  // where the tile begins in the swizzle's pattern
};

struct Box {
  std::string name;  // "rank.type.swizzle/where"
  Element element = kBf16;
  core::TensorMapShape shape;  // strides filled in
  Place place = {};

  int row_bytes() const { return static_cast<int>(shape.box[0]) * element.bytes; }
  int rows() const {
    int out = 1;
    for (int d = 1; d < shape.rank; ++d) out *= static_cast<int>(shape.box[d]);
    return out;
  }
  // A swizzled tile has rows as long as the swizzle's span, whether or not the box fills them ("if
  // the swizzle width exceeds the inner dimension, ensure that the shared memory is allocated to
  // accommodate the full swizzle width", CUDA C++ Programming Guide).
  int row_pitch() const { return std::max(row_bytes(), core::span_bytes(shape.swizzle)); }
  int tile_words() const { return (2 * kTileMargin + rows() * row_pitch()) / 4; }  // with margins
  std::size_t tensor_bytes() const {
    std::size_t last = shape.size[0] * static_cast<std::size_t>(element.bytes);
    for (int d = 1; d < shape.rank; ++d) last += (shape.size[d] - 1) * shape.stride_bytes[d];
    return last;
  }
};

// Calls use(byte of the tile, byte of the tensor, whether it lies in the tensor), both with their
// margins.
template <class Use>
void for_each_byte(const Box& box, Use use) {
  const core::TensorMapShape& shape = box.shape;
  const auto inside = [&](int d, std::int64_t coordinate) {
    return coordinate >= 0 && coordinate < static_cast<std::int64_t>(shape.size[d]);
  };
  for (int row = 0; row < box.rows(); ++row) {
    std::int64_t row_start = std::int64_t{box.place.at[0]} * box.element.bytes;
    bool row_inside = true;
    int rest = row;
    for (int d = 1; d < shape.rank; ++d) {
      const int extent = static_cast<int>(shape.box[d]);
      const std::int64_t coordinate = std::int64_t{box.place.at[d]} + rest % extent;
      rest /= extent;
      row_start += coordinate * static_cast<std::int64_t>(shape.stride_bytes[d]);
      row_inside = row_inside && inside(d, coordinate);
    }
    for (int byte = 0; byte < box.row_bytes(); ++byte) {
      const std::int64_t col = std::int64_t{box.place.at[0]} + byte / box.element.bytes;
      const auto in_tile =
          static_cast<std::uint32_t>(box.place.first_byte + row * box.row_pitch() + byte);
      use(kTileMargin + core::swizzled(shape.swizzle, in_tile),
          static_cast<std::size_t>(kTensorMargin + row_start + byte), row_inside && inside(0, col));
    }
  }
}

// As many elements as the swizzle's span has; 80 bytes without one.
constexpr int kSpan = 0;

// Each dimension starts at the next multiple of 16 bytes, and `padding` more, behind the one below.
Box make(const Element& element, core::SwizzleMode mode, const std::vector<int>& size,
         const std::vector<int>& box, const std::vector<int>& at, const std::string& where,
         unsigned padding = 16) {
  Box out;
  out.element = element;
  out.shape.rank = static_cast<int>(size.size());
  out.shape.swizzle = mode;
  std::copy(size.begin(), size.end(), out.shape.size.begin());
  std::copy(box.begin(), box.end(), out.shape.box.begin());
  std::copy(at.begin(), at.end(), out.place.at);
  const int span = mode == kNone ? 80 : core::span_bytes(mode);
  if (box[0] == kSpan) out.shape.box[0] = static_cast<unsigned>(span / element.bytes);
  std::uint64_t stride = static_cast<std::uint64_t>(element.bytes);
  for (int d = 0; d < out.shape.rank; ++d) {
    out.shape.stride_bytes[d] = stride;
    stride = (stride * out.shape.size[d] + 15) / 16 * 16 + padding;
  }
  out.name = name(size.size(), "d.", element.name, ".", swizzle_name(mode), "/", where);
  return out;
}

// Boxes inside, across each edge, wholly outside.
void add_rank_2(std::vector<Box>& out) {
  const std::pair<const char*, std::vector<int>> places[] = {
      {"inside", {8, 5}},         {"odd.row", {16, 7}},
      {"before", {-8, -3}},       {"beyond", {88, 30}},
      {"left", {-16, 4}},         {"below", {8, 33}},
      {"outside.k", {112, 2}},    {"outside.row", {0, 37}},
      {"outside.neg", {-8, -24}}, {"outside.far", {-1000000, 1000000}}};
  for (const Element& element : kElements) {
    for (const core::SwizzleMode mode : kModes) {
      for (const auto& [where, at] : places) {
        out.push_back(make(element, mode, {97, 37}, {kSpan, 24}, at, where));
      }
    }
  }
}

void add_higher_ranks(std::vector<Box>& out) {
  struct Tensor {
    std::vector<int> size, box, at[3];  // boxes inside, before and beyond it
  };
  const Tensor tensors[] = {
      {{75, 9, 5}, {kSpan, 4, 3}, {{8, 2, 1}, {-8, -1, -2}, {72, 7, 3}}},
      {{75, 5, 4, 3}, {kSpan, 3, 2, 2}, {{8, 1, 1, 1}, {-8, -1, -1, -1}, {64, 3, 3, 2}}},
      {{75, 4, 3, 3, 2},
       {kSpan, 2, 2, 2, 2},
       {{8, 2, 1, 1, 0}, {-8, -1, -1, -1, -1}, {64, 3, 2, 2, 1}}}};
  const char* const wheres[] = {"inside", "before", "beyond"};
  int turn = 0;
  for (const core::SwizzleMode mode : kModes) {
    for (int i = 0; i < 3; ++i) {
      for (const Tensor& tensor : tensors) {
        out.push_back(
            make(kElements[turn++ % 3], mode, tensor.size, tensor.box, tensor.at[i], wheres[i]));
      }
    }
  }
}

void add_special(std::vector<Box>& out) {
  // The longest box in either direction, and the smallest tensor.
  out.push_back(make(kBf16, k128B, {130, 300}, {64, 256}, {64, 40}, "256.rows"));
  out.push_back(make(kFp16, kNone, {300, 6}, {256, 4}, {48, 1}, "256.wide"));
  out.push_back(make(kFloat, k32B, {1, 1}, {8, 2}, {0, 0}, "one.element"));
  out.push_back(
      make(kFloat, kNone, {1, 1, 1, 1, 1}, {4, 1, 2, 1, 2}, {0, 0, -1, 0, 0}, "one.element"));
  out.push_back(make(kBf16, kNone, {96, 37}, {40, 24}, {0, -3}, "above"));
  out.push_back(make(kBf16, kNone, {96, 37}, {40, 24}, {88, 30}, "beyond.by.chunks"));
  out.push_back(make(kBf16, k128B, {96, 37}, {64, 24}, {64, 30}, "beyond.by.chunks"));
  out.push_back(make(kBf16, kNone, {97, 37}, {40, 24}, {1000000, 1000000}, "far"));
  out.push_back(make(kBf16, k64B, {96, 12}, {32, 8}, {32, 4}, "packed.rows", 0));
  // Rows of K elements seen as K/64 slices of 64: a third dimension that advances inside the row,
  // so that one copy brings a tile wider than the swizzle's span.
  Box sliced = make(kBf16, k128B, {64, 40, 3}, {64, 16, 3}, {0, 8, 0}, "sliced");
  sliced.shape.stride_bytes[1] = 3 * 128 + 32;
  sliced.shape.stride_bytes[2] = 128;
  out.push_back(sliced);
  sliced.name += ".beyond";
  sliced.place = {{0, 30, 1}};
  out.push_back(sliced);
  // Rows in permuted groups of 4 `run`: the dimensions count pairs of rows, groups of `run` rows,
  // and the pairs of such a group. The third cuts the box where rows end.
  for (const unsigned run : {4u, 8u}) {
    for (const int first : {0, 2, 3}) {
      Box permuted = make(kBf16, k128B, {96, 2, 5, static_cast<int>(run) / 2},
                          {64, 2, 4, static_cast<int>(run) / 2}, {32, 0, first, 0},
                          name("permuted.", run, ".", first));
      const std::uint64_t row = permuted.shape.stride_bytes[1];
      permuted.shape.stride_bytes[2] = run * row;
      permuted.shape.stride_bytes[3] = 2 * row;
      out.push_back(permuted);
    }
  }
}

// Inner rows shorter than the swizzle's span.
std::vector<Box> short_row_boxes() {
  const std::pair<core::SwizzleMode, int> short_rows[] = {{k128B, 16}, {k128B, 32}, {k128B, 64},
                                                          {k128B, 96}, {k64B, 16},  {k64B, 32},
                                                          {k64B, 48},  {k32B, 16}};
  std::vector<Box> out;
  for (const auto& [mode, bytes] : short_rows) {
    const std::string where = name(bytes, ".bytes");
    out.push_back(make(kBf16, mode, {97, 37}, {bytes / 2, 24}, {8, 5}, where));
    out.push_back(make(kFloat, mode, {75, 9, 5}, {bytes / 4, 4, 3}, {-4, 7, 1}, where));
  }
  return out;
}

// Tiles that begin inside the swizzle's pattern, as boxes behind others in one larger tile do: the
// swizzle goes by the address.
std::vector<Box> shifted_boxes() {
  std::vector<Box> out;
  for (const core::SwizzleMode mode : {k32B, k64B, k128B}) {
    for (const int first_byte : {128, 640, 896}) {
      out.push_back(make(kBf16, mode, {97, 37}, {kSpan, 22}, {8, 5}, name(first_byte)));
      out.back().place.first_byte = first_byte;
    }
  }
  return out;
}

// --- The copies

struct Options {
  gpu::CachePolicy policy = gpu::kEvictNormal;  // of a store
  bool prefetch_map = false, prefetch_box = false;
  bool wait_read = false;  // of a store: the end of the kernel does the rest
};

// `words`: of the tile with its margins; `image`: what is there before.
template <int kRank, bool kStore>
__global__ void move(const __grid_constant__ gpu::TensorMap map, Place place, Options options,
                     unsigned box_bytes, unsigned words, const std::uint32_t* image,
                     std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<TileStorage>();
  copy(smem.words, image, words);
  if (threadIdx.x == 0 && options.prefetch_map) gpu::prefetch_tensor_map(map);
  init(smem.full, 1);
  kStore ? gpu::fence_proxy_async_shared() : gpu::fence_proxy_async();
  __syncthreads();
  int at[kRank];
  for (int d = 0; d < kRank; ++d) at[d] = place.at[d];
  if constexpr (kStore) {
    if (threadIdx.x != 0) return;
    gpu::tma_store(map, at, smem.tile(), options.policy);
    gpu::tma_store_commit();
    options.wait_read ? gpu::tma_store_wait_read<0>() : gpu::tma_store_wait<0>();
  } else {
    if (threadIdx.x == 0) {
      if (options.prefetch_box) gpu::tma_prefetch(map, at);
      smem.full.arrive_and_expect(box_bytes);
      gpu::tma_load(smem.tile() + place.first_byte / 4, map, at, smem.full);
    }
    smem.full.wait(0);
    copy(out, smem.words, words);
  }
}

template <bool kStore>
Outcome run_copy(Random& random, const Box& box, const Options& options) {
  std::vector<unsigned char> tensor = random.bytes(2 * kTensorMargin + box.tensor_bytes());
  const unsigned words = static_cast<unsigned>(box.tile_words());
  std::vector<unsigned char> tile = random.bytes(words * 4);
  const DeviceArray<unsigned char> d_tensor(tensor);
  const Words image = recast(tile);
  for_each_byte(box, [&](std::size_t in_tile, std::size_t in_tensor, bool inside) {
    if (!kStore) {
      tile[in_tile] = inside ? tensor[in_tensor] : 0;
    } else if (inside) {
      tensor[in_tensor] = tile[in_tile];
    }
  });
  const std::array kernels = {move<2, kStore>, move<3, kStore>, move<4, kStore>, move<5, kStore>};
  const Outcome loaded =
      check(kernels[box.shape.rank - 2], grid(1, kThreads, sizeof(TileStorage)), recast(tile),
            box.element.map(d_tensor.data() + kTensorMargin, box.shape), box.place, options,
            static_cast<unsigned>(box.rows() * box.row_bytes()), words, image);
  return kStore ? Outcome{recast(d_tensor.values()), recast(tensor)} : loaded;
}

// Four boxes of 16 rows, one below the other, through two tiles: a tile is written again once the
// group that reads it is no longer among the most recent ones. Unless the waits are for reads
// alone, the first words of a finished group's box are read back, too, and left behind the tensor.
constexpr int kBoxes = 4;
constexpr int kBoxWords = 16 * 32;  // 16 rows of 64 bf16

__global__ void store_in_groups(const __grid_constant__ gpu::TensorMap map,
                                const std::uint32_t* image, bool wait_read, std::uint32_t* tensor) {
  auto& smem = gpu::dynamic_smem<TileStorage>();
  for (int box = 0; box < kBoxes; ++box) {
    std::uint32_t* tile = smem.tile() + box % 2 * kBoxWords;
    if (threadIdx.x == 0) {
      wait_read ? gpu::tma_store_wait_read<1>() : gpu::tma_store_wait<1>();
      std::uint32_t* seen = tensor + kBoxes * kBoxWords + (box - 2) * 32;
      for (int i = 0; i < 32 && box >= 2 && !wait_read; ++i) {
        seen[i] = tensor[(box - 2) * kBoxWords + i];
      }
    }
    __syncthreads();
    copy(tile, image + box * kBoxWords, kBoxWords);
    gpu::fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      gpu::tma_store(map, {0, box * 16}, tile);
      gpu::tma_store_commit();
    }
  }
  if (threadIdx.x == 0) gpu::tma_store_wait_read<0>();
}

Outcome run_groups(Random& random, bool wait_read) {
  const Words image = random.words(kBoxes * kBoxWords);
  Words expected = image;
  for (int i = 0; i < (kBoxes - 2) * 32 && !wait_read; ++i) {
    expected.push_back(image[i / 32 * kBoxWords + i % 32]);
  }
  const DeviceArray<std::uint32_t> tensor(expected.size());
  run(store_in_groups, grid(1, kThreads, sizeof(TileStorage)),
      map_of_rows<core::bf16>(tensor.data(), 64, kBoxes * 16, 64, 16), image, wait_read,
      tensor.data());
  return {tensor.values(), expected};
}

// --- The cases

// What the hardware takes of a store, other than of a load: no coordinate below zero, and rows that
// it can cut off in pieces of 16 bytes.
bool storable(const Box& box) {
  const int columns = static_cast<int>(box.shape.size[0]), first = box.place.at[0];
  const bool cut = first < columns && first + static_cast<int>(box.shape.box[0]) > columns;
  return *std::min_element(box.place.at, box.place.at + box.shape.rank) >= 0 &&
         !(cut && columns * box.element.bytes % 16 != 0);
}

void add_stores(Cases& cases, const std::string& family, const std::vector<Box>& all) {
  Options options;
  for (Box box : all) {
    if (!storable(box)) {  // the same with rows of a multiple of 16 bytes
      box.shape.size[0] = (box.shape.size[0] + 7) / 8 * 8;
      box.name += ".even";
    }
    options.wait_read = !options.wait_read;
    options.policy = options.wait_read ? gpu::kEvictFirst : gpu::kEvictNormal;
    if (storable(box)) add(cases, family + box.name, run_copy<true>, box, options);
  }
}

// How much comes with a box, what is fetched ahead: must not change what arrives.
void add_hints(Cases& cases, Box box) {
  const std::string family = ".hint/" + box.name.substr(0, box.name.find('/')) + "/";
  struct Hint {
    const char* name;
    Options options = {};
    core::L2Promotion promotion = core::L2Promotion::k128B;
  };
  const Hint hints[] = {{"prefetch_map", {.prefetch_map = true}},
                        {"prefetch_box", {.prefetch_box = true}},
                        {"all", {.prefetch_map = true, .prefetch_box = true}},
                        {"promote_none", {}, core::L2Promotion::kNone},
                        {"promote_64B", {}, core::L2Promotion::k64B},
                        {"promote_128B", {}, core::L2Promotion::k128B},
                        {"promote_256B", {}, core::L2Promotion::k256B}};
  for (const auto& [hint, options, promotion] : hints) {
    box.shape.promotion = promotion;
    add(cases, "tma.load" + family + hint, run_copy<false>, box, options);
  }
}

const Register kCases([](Cases& cases) {
  // Every element type and swizzle; odd sizes in padded rows. Every inner row is as long as the
  // swizzle's span.
  std::vector<Box> all;
  add_rank_2(all);
  add_higher_ranks(all);
  add_special(all);
  for (const Box& box : all) add(cases, "tma.load/" + box.name, run_copy<false>, box, Options{});
  for (const int rank : {2, 3, 4, 5}) {
    add_hints(cases, *std::find_if(all.begin(), all.end(),
                                   [&](const Box& box) { return box.shape.rank == rank; }));
  }
  for (const Box& box : short_row_boxes()) {
    add(cases, "tma.load.short_row/" + box.name, run_copy<false>, box, Options{});
  }
  for (const Box& box : shifted_boxes()) {
    add(cases, "tma.load.shifted/" + box.name, run_copy<false>, box, Options{});
  }
  add_stores(cases, "tma.store/", all);
  add_stores(cases, "tma.store.short_row/", short_row_boxes());
  add(cases, "tma.store.groups/wait_group.1/four", run_groups, false);
  add(cases, "tma.store.groups/wait_group.read.1/four", run_groups, true);
});

}  // namespace intrinsics::tma
