#pragma once
// Who loads what: a tile cut into vectors and distributed over the threads of a block, strip by
// strip.

namespace gemm {

// The tile has kStrided rows of kContiguous elements; one access moves kVector of them. Consecutive
// threads take consecutive vectors of a row, so that a warp's addresses are as contiguous as the
// tile is. A thread then repeats its access kIterationsStrided x kIterationsContiguous times,
// kDeltaStrided rows and kDeltaContiguous elements apart.
//
//   128 rows of 16 elements, vectors of 8, 256 threads: 2 vectors a row, 128 rows at once, 1
//   access.
template <int kStrided, int kContiguous, int kThreads, int kVector>
struct ThreadMap {
  static_assert(kContiguous % kVector == 0, "a row must be a whole number of vectors");
  static constexpr int kVectorsPerRow = kContiguous / kVector;
  static constexpr bool kRowFitsInThreads = kThreads >= kVectorsPerRow;
  static_assert(kRowFitsInThreads ? kThreads % kVectorsPerRow == 0 : kVectorsPerRow % kThreads == 0,
                "threads and vectors of a row must divide one another");

  static constexpr int kRowsAtOnce = kRowFitsInThreads ? kThreads / kVectorsPerRow : 1;
  static constexpr int kIterationsStrided = (kStrided + kRowsAtOnce - 1) / kRowsAtOnce;
  static constexpr int kIterationsContiguous = kRowFitsInThreads ? 1 : kVectorsPerRow / kThreads;
  static constexpr int kIterations = kIterationsStrided * kIterationsContiguous;
  static constexpr int kDeltaStrided = kRowsAtOnce;
  static constexpr int kDeltaContiguous = kThreads * kVector;

  // Whether a thread's i-th access lies in the tile: always, when the strips fill it exactly.
  static constexpr bool holds(int thread, int i) {
    return kStrided % kRowsAtOnce == 0 || row(thread, i) < kStrided;
  }

  // Row and column of a thread's i-th access within the tile.
  static constexpr int row(int thread, int i) {
    return thread / kVectorsPerRow + i / kIterationsContiguous * kDeltaStrided;
  }
  static constexpr int col(int thread, int i) {
    return thread % kVectorsPerRow * kVector + i % kIterationsContiguous * kDeltaContiguous;
  }
};

}  // namespace gemm
