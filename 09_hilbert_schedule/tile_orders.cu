// `--variant tile_orders`: the orders in which tiles come, printed as JSON for
// plots/tile_orders.py.

#include "orders/orders.hpp"
#include "plan.cuh"

#include <harness/chapter.hpp>
#include <harness/results.hpp>

#include <core/error.hpp>

#include <cstdio>
#include <vector>

namespace {

using namespace hilbert_schedule;

constexpr int kBM = 128, kBN = 256;  // the tiles whose grids are shown
constexpr int kSms = 132;            // of an H200, whatever runs this
constexpr int kAssignedFirst = 128;  // of these, those that get tiles along a Hilbert curve

void print_order(const char* name, const std::vector<TileCoord>& positions, const char* separator) {
  std::printf("    \"%s\": [", name);
  for (const TileCoord& at : positions) {
    std::printf("%s[%d, %d]", &at == positions.data() ? "" : ", ", at.row, at.col);
  }
  std::printf("]%s\n", separator);
}

// What all blocks compute at a time, one such wave after the other.
std::vector<TileCoord> by_waves(const std::vector<std::vector<TileCoord>>& assigned) {
  std::vector<TileCoord> tiles;
  for (std::size_t turn = 0; turn <= assigned.back().size();
       ++turn) {  // they differ by one at most
    for (const auto& mine : assigned) {
      if (turn < mine.size()) tiles.push_back(mine[turn]);
    }
  }
  return tiles;
}

void print_grid(int tiles_m, int tiles_n, int group_rows, const char* separator) {
  const unsigned blocks = persistent_blocks(static_cast<unsigned>(tiles_m * tiles_n), kSms);
  std::printf(
      "  {\"tiles_m\": %d, \"tiles_n\": %d, \"group_rows\": %d, \"blocks\": %u, \"sms\": %d,\n",
      tiles_m, tiles_n, group_rows, blocks, kSms);
  std::printf("   \"orders\": {\n");
  const auto print = [&](const char* name, Order order, const char* behind) {
    print_order(name, ordered_tiles(order, tiles_m, tiles_n), behind);
  };
  print("row_major", Order::kRowMajor, ",");
  print("snake", Order::kSnake, ",");
  print("hilbert", Order::kHilbert, ",");
  print_order("super_tiles", super_tiles(tiles_m, tiles_n, 16, 8), ",");
  const auto curve = cut_hilbert_curve(tiles_m, tiles_n);
  print_order("hilbert_assigned", by_waves(assign(curve, kSms, kAssignedFirst)), "");
  std::printf("   }}%s\n", separator);
}

int run() {
  std::printf("{\n \"chapter\": \"%s\", \"commit\": \"%s\",\n", kName, harness::commit());
  std::printf(" \"tile\": [%d, %d],\n \"grids\": [\n", kBM, kBN);
  for (const int size : {4096, 8192}) print_grid(size / kBM, size / kBN, 16, ",");
  print_grid(21, 9, 16, "");  // sides that no power of two divides
  std::printf(" ]\n}\n");
  return core::kRight;
}

const harness::Registration registration(harness::Demonstration{
    .chapter = kName,
    .name = "tile_orders",
    .summary = "which tile follows which in each order, as JSON for plots/tile_orders.py",
    .run = run,
});

}  // namespace
