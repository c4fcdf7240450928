// The orders of tiles of chapters 05 and 07, asked of the functions their kernels call, as JSON for
// rasters.py. (Chapter 09 prints its own: `--variant tile_orders`.)

#include "../05_swizzle_pipeline/kernel.cuh"
#include "../07_warp_specialized/schedule.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kBM = 128, kBN = 256;  // the tiles whose grids are shown
constexpr int kSms = 132;            // of an H200, whatever runs this

constexpr int kGroupRows05 =
    swizzle_pipeline::Config<swizzle_pipeline::LargeTiles, 3, 8>::kGroupRows;

struct Position {
  int row, col;
};

// A block for each tile, started in the order of their numbers.
template <int kGroupRows>
std::vector<Position> of_chapter_05(int tiles_m, int tiles_n) {
  std::vector<Position> order;
  for (int tile = 0; tile < tiles_m * tiles_n; ++tile) {
    const auto at = swizzle_pipeline::tile_position<kGroupRows>(tile, tiles_m, tiles_n);
    order.push_back({at.row, at.col});
  }
  return order;
}

// Blocks that stay: the first tile of each, then the second of each, ...
template <warp_specialized::Order kOrder>
std::vector<Position> of_chapter_07(int tiles_m, int tiles_n) {
  const warp_specialized::TileSchedule<kOrder> schedule{tiles_m, tiles_n};
  const int tiles = tiles_m * tiles_n, blocks = std::min(tiles, kSms);
  std::vector<Position> order;
  for (int round = 0; static_cast<int>(order.size()) < tiles; ++round) {
    for (int block = 0; block < blocks; ++block) {
      const auto range = schedule.of(block, blocks);
      const int tile = range.first + round * range.step;
      if (tile >= range.end) continue;
      const auto at = schedule.position(tile);
      order.push_back({at.row, at.col});
    }
  }
  return order;
}

void print_order(const char* name, const std::vector<Position>& order, const char* separator) {
  std::printf("    \"%s\": [", name);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::printf("%s[%d, %d]", i == 0 ? "" : ", ", order[i].row, order[i].col);
  }
  std::printf("]%s\n", separator);
}

int print(const std::string& chapter) {
  using Grouped = warp_specialized::TileSchedule<warp_specialized::Order::kGrouped>;
  const bool is_05 = chapter == swizzle_pipeline::kName;
  const int group_rows = is_05 ? kGroupRows05 : Grouped::kGroupRows;
  const int tiles_m = 8192 / kBM, tiles_n = 8192 / kBN;
  std::printf("{\n \"chapter\": \"%s\",\n \"tile\": [%d, %d],\n \"grids\": [\n", chapter.c_str(),
              kBM, kBN);
  std::printf("  {\"tiles_m\": %d, \"tiles_n\": %d, \"group_rows\": %d, \"workers\": %d,\n",
              tiles_m, tiles_n, group_rows, kSms);
  std::printf("   \"orders\": {\n");
  if (is_05) {
    print_order("row_major", of_chapter_05<1>(tiles_m, tiles_n), ",");
    print_order("groups", of_chapter_05<kGroupRows05>(tiles_m, tiles_n), "");
  } else {
    using warp_specialized::Order;
    print_order("ranges", of_chapter_07<Order::kStatic>(tiles_m, tiles_n), ",");
    print_order("groups", of_chapter_07<Order::kGrouped>(tiles_m, tiles_n), "");
  }
  std::printf("   }}\n ]\n}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string chapter = argc == 2 ? argv[1] : "";
  if (chapter == swizzle_pipeline::kName || chapter == "07_warp_specialized") return print(chapter);
  std::fprintf(stderr, "usage: schedules %s|07_warp_specialized\n", swizzle_pipeline::kName);
  return 2;
}
