#include <runtime/coalescing.hpp>

#include <algorithm>

namespace runtime {

unsigned global_sectors(const Request& request) {
  std::uint64_t sectors[64];  // an access that is not aligned may touch two
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(request.active >> lane & 1)) continue;
    const std::uint64_t first = request.address[lane] / 32;
    const std::uint64_t last = (request.address[lane] + request.bytes - 1) / 32;
    sectors[count++] = first;
    if (last != first) sectors[count++] = last;
  }
  if (!std::is_sorted(sectors, sectors + count)) std::sort(sectors, sectors + count);
  return static_cast<unsigned>(std::unique(sectors, sectors + count) - sectors);
}

namespace {

// Whether active lanes whose numbers differ in the bit `mask` agree on their address.
bool neighbours_agree(const Request& request, unsigned mask) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned other = lane ^ mask;
    const bool both = (request.active >> lane & 1) && (request.active >> other & 1);
    if (both && request.address[lane] != request.address[other]) return false;
  }
  return true;
}

}  // namespace

unsigned shared_wavefronts(const Request& request, Direction direction) {
  unsigned lanes_per_phase = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  if (direction == Direction::kLoad && request.bytes > 4 &&
      (neighbours_agree(request, 1) || neighbours_agree(request, 2))) {
    lanes_per_phase *= 2;
  }
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < 32; first += lanes_per_phase) {
    std::uint64_t words[32][64];  // by bank, the different ones
    unsigned depth[32] = {};
    for (unsigned lane = first; lane < first + lanes_per_phase; ++lane) {
      if (!(request.active >> lane & 1)) continue;
      const std::uint64_t begin = request.address[lane] / 4;
      const std::uint64_t end = (request.address[lane] + request.bytes + 3) / 4;
      for (std::uint64_t word = begin; word < end; ++word) {
        std::uint64_t* in_bank = words[word % 32];
        unsigned& count = depth[word % 32];
        if (std::find(in_bank, in_bank + count, word) == in_bank + count) in_bank[count++] = word;
      }
    }
    wavefronts += *std::max_element(depth, depth + 32);
  }
  return wavefronts;
}

unsigned matrix_wavefronts(const std::uint64_t (&rows)[8]) {
  std::uint64_t different[8][8];  // by eighth of the banks
  unsigned depth[8] = {}, deepest = 0;
  for (const std::uint64_t row : rows) {
    const std::uint64_t eighth = row / 16 % 8;
    std::uint64_t* in_eighth = different[eighth];
    unsigned& count = depth[eighth];
    if (std::find(in_eighth, in_eighth + count, row) == in_eighth + count) in_eighth[count++] = row;
    deepest = std::max(deepest, count);
  }
  return deepest;
}

}  // namespace runtime
