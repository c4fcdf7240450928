// `--variant tile_orders`: the orders in which the schedule deals tiles out, printed as JSON for
// plots/tile_orders.py.

#include "plan.cuh"

#include <harness/backend.hpp>
#include <harness/chapter.hpp>
#include <harness/device_problem.hpp>

#include <core/error.hpp>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

using namespace hilbert_schedule;

constexpr int kBM = 128, kBN = 256;  // the tiles whose grids are shown
constexpr int kSms = 132;            // of an H200, whatever runs this

// Each block is a worker, and notes where its tiles lie.
__global__ void note_tiles(const TileSchedule schedule, TilePosition* positions) {
  const auto range = schedule.of(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  for (int tile = range.first; tile < range.end; tile += range.step) {
    positions[tile] = schedule.position(tile);
  }
}

std::vector<TilePosition> dealt(int tiles_m, int tiles_n, Order order, int group_rows,
                                unsigned workers) {
  const auto list = upload_curve(tiles_m, tiles_n);
  const TileSchedule schedule(tiles_m, tiles_n, order, group_rows,
                              static_cast<const TilePosition*>(list.get()));
  std::vector<TilePosition> positions(static_cast<std::size_t>(tiles_m) *
                                      static_cast<std::size_t>(tiles_n));
  const std::size_t bytes = positions.size() * sizeof(TilePosition);
  const harness::DeviceMemory memory(bytes);
  const gpu::LaunchShape shape{.grid = dim3(workers), .block = dim3(1)};
  gpu::launch(note_tiles, shape, nullptr, schedule, reinterpret_cast<TilePosition*>(memory.data()));
  gpu::synchronize();
  gpu::copy_to_host(positions.data(), memory.data(), bytes);
  return positions;
}

void print_order(const char* name, const std::vector<TilePosition>& positions,
                 const char* separator) {
  std::printf("    \"%s\": [", name);
  for (const TilePosition& at : positions) {
    std::printf("%s[%d, %d]", &at == positions.data() ? "" : ", ", at.row, at.col);
  }
  std::printf("]%s\n", separator);
}

void print_grid(int tiles_m, int tiles_n, int group_rows, const char* separator) {
  const unsigned workers = clusters(static_cast<unsigned>(tiles_m * tiles_n), kSms, true);
  std::printf("  {\"tiles_m\": %d, \"tiles_n\": %d, \"group_rows\": %d, \"workers\": %u,\n",
              tiles_m, tiles_n, group_rows, workers);
  std::printf("   \"orders\": {\n");
  const auto print = [&](const char* name, Order order, const char* behind) {
    print_order(name, dealt(tiles_m, tiles_n, order, group_rows, workers), behind);
  };
  print("row_major", Order::kRows, ",");
  print("groups", Order::kGroups, ",");
  print("snake", Order::kSnake, ",");
  print("hilbert", Order::kHilbert, "");
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
