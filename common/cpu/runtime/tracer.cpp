#include <runtime/tracer.hpp>

#include <runtime/gang.hpp>

#include <bit>
#include <utility>

namespace runtime {

void Tracer::begin_gang(const Gang& gang) {
  gang_ = &gang;
  totals_ = {};
  log_ = {};
  const auto& blocks = gang.blocks();
  warps_.resize(blocks.size() * blocks.front().warps.size());
  for (WarpLog& log : warps_) {  // left over when a gang has failed
    for (const unsigned number : log.active) log.places[number] = {};
    log.active.clear();
  }
}

Tracer::Space Tracer::space_of(std::uintptr_t address, std::size_t bytes) const {
  const Stack& stack = current.thread->fiber->stack();
  if (address - reinterpret_cast<std::uintptr_t>(stack.bottom()) < stack.size())
    return Space::kNone;
  const auto shared = reinterpret_cast<std::uintptr_t>(gang_->shared_begin());
  if (address - shared < static_cast<std::size_t>(gang_->shared_end() - gang_->shared_begin())) {
    return Space::kShared;
  }
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
  for (const unsigned number : log.active) {
    Place& place = log.places[number];
    for (std::size_t turn = 0; turn < place.used; ++turn) {
      Pending& pending = place.pending[turn];
      if (pending.request.active == 0) continue;  // every lane was held back: no request
      if (pending.kind == Access::kArrive) {
        ++totals_.mbarrier_arrivals;
        pending.request.active = 0;
        continue;
      }
      const bool global = pending.space == Space::kGlobal;
      const bool load = pending.kind == Access::kLoad;
      const bool copy = pending.kind == Access::kCopy;
      AccessTotals& totals = copy     ? (global ? totals_.copy_global : totals_.copy_shared)
                             : global ? (load ? totals_.global_load : totals_.global_store)
                                      : (load ? totals_.shared_load : totals_.shared_store);
      if (copy && global) log_request(pending.request);
      if (copy && !global) totals_.copied_sectors += global_sectors(pending.request);
      totals.requests += 1;
      totals.units +=
          global ? global_sectors(pending.request)
                 : shared_wavefronts(pending.request, load ? Direction::kLoad : Direction::kStore);
      totals.bytes += std::uint64_t{pending.request.bytes} * std::popcount(pending.request.active);
      pending.request.active = 0;
    }
    place.used = 0;
    for (std::uint32_t& turn : place.turn) turn = 0;
  }
  log.active.clear();
}

void Tracer::matrix(const std::uint64_t (&rows)[8], bool first, Access kind) {
  AccessTotals& totals = kind == Access::kLoad ? totals_.matrix_load : totals_.matrix_store;
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

void Tracer::end_of_box() {
  log_.end_of_request();
}

void Tracer::end_gang() {
  totals_.fmas = std::exchange(current.fmas, 0);
  add_totals(totals_);
  add_l2_log(gang_->number(), gang_->blocks().size(), std::move(log_));
}

}  // namespace runtime
