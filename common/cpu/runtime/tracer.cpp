#include <runtime/tracer.hpp>

#include <runtime/gang.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace runtime {

void Tracer::begin_gang(Gang& gang) {
  gang_ = &gang;
  log_ = {};
  const auto& blocks = gang.blocks();
  warps_.resize(blocks.size() * blocks.front().warps.size());
  for (WarpLog& log : warps_) {  // left over when a gang has failed
    for (const unsigned number : log.active) log.places[number] = {};
    log.active.clear();
  }
}

Tracer::Space Tracer::space_of(std::uintptr_t address, std::size_t bytes) const {
  if (current.thread->fiber->stack_holds(address)) return Space::kNone;
  if (gang_->shared_holds(address)) return Space::kShared;
  return current.memory.holds(address, bytes) ? Space::kGlobal : Space::kNone;
}

unsigned Tracer::number_of(std::uint64_t place) {
  Known& known = known_[(place ^ place >> 8 ^ place >> 48) % 256];
  if (known.place != place) {
    known.place = place;
    known.number =
        numbers_.try_emplace(place, static_cast<unsigned>(numbers_.size())).first->second;
  }
  return known.number;
}

void Tracer::access(std::uint64_t place, std::uintptr_t address, std::size_t bytes, Access kind,
                    bool active) {
  const Space space = active ? space_of(address, bytes) : Space::kNone;
  if (active && space == Space::kNone) return;  // the thread's own stack, or the host's data
  const Thread& thread = *current.thread;
  WarpLog& log = warps_[thread.warp->number];
  const unsigned number = number_of(place);
  if (number >= log.places.size()) log.places.resize(number + 1);
  Place& here = log.places[number];
  const unsigned lane = thread.lane();
  const std::uint32_t turn = here.turn[lane]++;
  if (here.used == 0) log.active.push_back(number);
  if (turn >= here.used) {
    here.used = turn + 1;
    if (here.used > here.pending.size()) here.pending.resize(here.used * 2);
  }
  if (!active) return;
  Pending& pending = here.pending[turn];
  pending.space = space;
  pending.kind = kind;
  pending.request.address[lane] = address;
  pending.request.active |= 1u << lane;
  pending.request.bytes = static_cast<std::uint32_t>(bytes);
}

void Tracer::warp_met(const Warp& warp) {
  WarpLog& log = warps_[warp.number];
  Counts& counts = gang_->work();
  for (const unsigned number : log.active) {
    Place& place = log.places[number];
    for (std::size_t turn = 0; turn < place.used; ++turn) {
      Pending& pending = place.pending[turn];
      if (pending.request.active == 0) continue;  // every lane was held back: no request
      if (pending.kind == Access::kArrive) {
        ++counts.mbarrier_arrivals;
        pending.request.active = 0;
        continue;
      }
      const bool global = pending.space == Space::kGlobal;
      const bool load = pending.kind == Access::kLoad;
      const bool copy = pending.kind == Access::kCopy;
      AccessCounts& totals = copy     ? (global ? counts.copy_global : counts.copy_shared)
                             : global ? (load ? counts.global_load : counts.global_store)
                                      : (load ? counts.shared_load : counts.shared_store);
      if (copy && global) log_request(pending.request);
      if (copy && !global) counts.copied_sectors += global_sectors(pending.request);
      totals.requests += 1;
      totals.units +=
          global ? global_sectors(pending.request) : shared_wavefronts(pending.request, load);
      totals.bytes += std::uint64_t{pending.request.bytes} * std::popcount(pending.request.active);
      pending.request.active = 0;
    }
    place.used = 0;
    for (std::uint32_t& turn : place.turn) turn = 0;
  }
  log.active.clear();
}

void Tracer::matrix(const std::uint64_t (&rows)[8], bool first, Access kind) {
  Counts& counts = gang_->work();
  AccessCounts& totals = kind == Access::kLoad ? counts.matrix_load : counts.matrix_store;
  totals.requests += first ? 1 : 0;
  totals.units += matrix_wavefronts(rows);
  totals.bytes += 8 * 16;
}

void Tracer::log_request(const Request& request) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (request.active >> lane & 1) log_.read(request.address[lane], request.bytes);
  }
  log_.end_of_request();
}

void Tracer::box_row(const void* memory, std::size_t bytes) {
  log_.read(reinterpret_cast<std::uintptr_t>(memory), bytes);
}

void Tracer::end_gang() {
  gang_->work().fmas = std::exchange(current.fmas, 0);
  add_l2_log(gang_->number(), gang_->blocks().size(), std::move(log_));
}

// An unrolled call has several return addresses and one line, a word that was not inlined one
// return address and several lines: together they tell the places apart.
[[gnu::noinline]] void trace_word(const void* address, std::size_t bytes, Access kind, bool active,
                                  Site where) {
  if (current.gang == nullptr || current.gang->trace() == nullptr) return;
  const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const std::uint64_t place = pc ^ (std::uint64_t{where.line} << 48);
  current.gang->trace()->access(place, reinterpret_cast<std::uintptr_t>(address), bytes, kind,
                                active);
}

void count_fma() {
  ++current.fmas;
}

void untraced_copy(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

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

// Whether active lanes whose numbers differ in the bit `mask` agree on their address.
static bool neighbours_agree(const Request& request, unsigned mask) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned other = lane ^ mask;
    const bool both = (request.active >> lane & 1) && (request.active >> other & 1);
    if (both && request.address[lane] != request.address[other]) return false;
  }
  return true;
}

// Pieces of shared memory, sorted into the parts of the banks that serve them one after the other.
template <unsigned kParts, unsigned kMost>
class Banks {
 public:
  void add(std::uint64_t piece) {
    std::uint64_t* here = different_[piece % kParts];
    unsigned& count = depth_[piece % kParts];
    if (std::find(here, here + count, piece) == here + count) here[count++] = piece;
  }
  unsigned busiest() const { return *std::max_element(depth_, depth_ + kParts); }

 private:
  std::uint64_t different_[kParts][kMost];
  unsigned depth_[kParts] = {};
};

unsigned shared_wavefronts(const Request& request, bool load) {
  unsigned lanes_per_phase = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  if (load && request.bytes > 4 && (neighbours_agree(request, 1) || neighbours_agree(request, 2))) {
    lanes_per_phase *= 2;
  }
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < 32; first += lanes_per_phase) {
    Banks<32, 64> banks;
    for (unsigned lane = first; lane < first + lanes_per_phase; ++lane) {
      if (!(request.active >> lane & 1)) continue;
      const std::uint64_t end = (request.address[lane] + request.bytes + 3) / 4;
      for (std::uint64_t word = request.address[lane] / 4; word < end; ++word) banks.add(word);
    }
    wavefronts += banks.busiest();
  }
  return wavefronts;
}

unsigned matrix_wavefronts(const std::uint64_t (&rows)[8]) {
  Banks<8, 8> eighths;
  for (const std::uint64_t row : rows) eighths.add(row / 16);
  return eighths.busiest();
}

}  // namespace runtime
