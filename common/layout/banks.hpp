#pragma once

// Bank conflicts of one shared-memory access of a warp (or any number of threads), counted as the
// hardware serves it.

#include <algorithm>

#include "swizzle.hpp"

namespace layout {

inline constexpr int kBanks = 32;        // of 4 bytes each
inline constexpr int kPhaseBytes = 128;  // what all banks deliver at once

struct BankConflicts {
  int phases = 0;      // groups of threads served together: 32 threads of up to 4 bytes, 16 of 8,
                       // 8 of 16
  int wavefronts = 0;  // passes over the banks in all; equal to phases where there is no conflict
  int worst = 0;       // words wanted from one bank in the worst phase: 8 is an 8-way conflict

  constexpr bool free() const { return wavefronts == phases; }
};

// Threads 0 .. threads-1 each access `vector` consecutive elements of element_bits bits from the
// element offset offset_of(thread). Within a phase, words of the same bank are served one after the
// other, and equal words once.
//   32 threads reading column 0 of (32,128):(128,1), fp32:  1 phase, 32 wavefronts, worst 32
// Refuses vectors that are not 1, 2, 4, 8 or 16 bytes long, and offsets that are not a multiple of
// the vector.
template <class OffsetOf>
constexpr BankConflicts bank_conflicts(const OffsetOf& offset_of, int threads, Int element_bits,
                                       Int vector = 1) {
  const Int bits = checked_mul(element_bits, vector);
  if (bits < 8 || bits > 128 || !is_power_of_two(bits)) {
    refuse("bank conflicts: ", vector, " elements of ", element_bits,
           " bits, 8 to 128 bits (a power of two) are needed");
  }
  const int bytes = static_cast<int>(bits / 8);
  const int per_phase = std::min(kPhaseBytes / bytes, 32);
  BankConflicts result;
  for (int first = 0; first < threads; first += per_phase) {
    const int last = std::min(first + per_phase, threads);
    Int words[kBanks]{};  // of this phase, each once; at most 32
    int count = 0;
    int load[kBanks]{};
    int worst = 0;
    for (int thread = first; thread < last; ++thread) {
      const Int offset = offset_of(thread);
      if (offset % vector != 0) {
        refuse("bank conflicts: thread ", thread, " starts at element ", offset,
               ", not a multiple of ", vector);
      }
      const Int address = checked_mul(offset, element_bits) / 8;
      for (Int word = address / 4; word * 4 < address + bytes; ++word) {
        if (std::find(words, words + count, word) != words + count) continue;
        words[count++] = word;
        worst = std::max(worst, ++load[word % kBanks]);
      }
    }
    ++result.phases;
    result.wavefronts += worst;
    result.worst = std::max(result.worst, worst);
  }
  return result;
}

}  // namespace layout
