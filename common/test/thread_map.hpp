#pragma once
// What any strip-mined thread map must do, as tests for the chapters that have one.

#include <test/catch.hpp>

#include <vector>

namespace test {

// Every element of the tile is loaded by exactly one access.
template <class Map, int kStrided, int kContiguous, int kThreads, int kVector>
void check_covers_once() {
  CAPTURE(kStrided, kContiguous, kThreads, kVector);
  std::vector<int> touched(kStrided * kContiguous);
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < Map::kIterations; ++i) {
      if (!Map::holds(thread, i)) continue;
      for (int v = 0; v < kVector; ++v) {
        ++touched.at(Map::row(thread, i) * kContiguous + Map::col(thread, i) + v);
      }
    }
  }
  CHECK(touched == std::vector<int>(kStrided * kContiguous, 1));
}

// Map<rows, columns, threads, elements per vector> on tiles that fill the threads exactly, that
// leave some without work, whose rows need several rounds, and whose last strip is incomplete.
template <template <int, int, int, int> class Map>
void check_thread_map() {
  check_covers_once<Map<128, 16, 256, 8>, 128, 16, 256, 8>();
  check_covers_once<Map<128, 16, 256, 1>, 128, 16, 256, 1>();
  check_covers_once<Map<128, 8, 256, 8>, 128, 8, 256, 8>();
  check_covers_once<Map<256, 8, 256, 8>, 256, 8, 256, 8>();
  check_covers_once<Map<32, 32, 128, 8>, 32, 32, 128, 8>();
  check_covers_once<Map<64, 32, 128, 2>, 64, 32, 128, 2>();
  check_covers_once<Map<3, 2048, 256, 4>, 3, 2048, 256, 4>();
  check_covers_once<Map<100, 16, 256, 1>, 100, 16, 256, 1>();

  // Neighbouring threads load neighbouring vectors.
  using Neighbours = Map<128, 16, 256, 8>;
  CHECK(Neighbours::col(1, 0) == 8);
  CHECK(Neighbours::row(1, 0) == 0);
  CHECK(Neighbours::col(2, 0) == 0);
  CHECK(Neighbours::row(2, 0) == 1);
}

}  // namespace test
