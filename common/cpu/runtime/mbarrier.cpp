#include <runtime/mbarrier.hpp>

#include <runtime/gang.hpp>
#include <runtime/happenings.hpp>
#include <runtime/report.hpp>

#include <algorithm>
#include <cstring>

namespace runtime {

constexpr std::int64_t kMostBytes = (1 << 20) - 1;   // the hardware's tx-count
constexpr std::uint64_t kMark = 0x6d62617272696572;  // what stands in shared memory

static std::string phase_text(std::uint64_t phase) {
  return join("phase ", phase, " (parity ", phase & 1, ")");
}

void MbarrierState::check_shared(const char* word, Site where) const {
  if (block_->gang->cluster_barrier().phases() > cluster_phase_) return;
  fail(where, word, " at ", name(),
       ", which may not have been initialised yet: between init() there and its first "
       "use by another block the whole cluster must meet, by cluster_sync()");
}

std::uint64_t MbarrierState::arrive(Site where) {
  trace_word(block_->shared_memory.window() + offset_, 8, Access::kArrive, true, where);
  return arrive_and_expect(0, where);
}

std::uint64_t MbarrierState::arrive_and_expect(unsigned bytes, Site where) {
  if (pending_ == 0) {
    const std::string due =
        bytes_ > 0 ? ", and " + std::to_string(bytes_) + " bytes are still to come" : std::string();
    fail(where, "one arrival too many at ", name(), ": all ", count_, " of its ",
         phase_text(phase_), " have been made", due,
         " (more threads arrive than init() was told, or one arrives again without "
         "waiting?)");
  }
  expect(bytes, where);
  const std::uint64_t phase = phase_;
  --pending_;
  complete_if_due(where);
  return phase;
}

void MbarrierState::expect(unsigned bytes, Site where) {
  bytes_ += bytes;
  if (bytes_ > kMostBytes) {
    fail(where, name(), " expects ", bytes_, " bytes in one phase: the hardware counts to ",
         kMostBytes);
  }
  complete_if_due(where);
}

void MbarrierState::deliver(unsigned bytes, std::uint64_t phase, Site issued) {
  const auto too_few = [&] {
    fail_in(nullptr, issued, "this TMA load's ", bytes, " bytes are more than ", name(),
            " expects in its ", phase_text(phase),
            ": arrive_and_expect was told fewer bytes than the loads bring");
  };
  if (phase != phase_) too_few();
  bytes_ -= bytes;
  if (pending_ == 0 && bytes_ < 0) too_few();
  complete_if_due(issued);
}

void MbarrierState::complete_if_due(Site where) {
  if (pending_ != 0 || bytes_ > 0) return;
  if (bytes_ < 0) {
    fail_in(nullptr, where, -bytes_, " bytes more than expected have come to ", name(), " in its ",
            phase_text(phase_), ": arrive_and_expect was told fewer bytes than the loads bring");
  }
  note(*block_, Happening::kPhase, offset_, phase_, block_->gang->steps());
  ++phase_;
  pending_ = count_;
  block_->gang->wake(*this);
}

// A parity may come round again before the thread has its turn: then it goes on waiting.
template <class Done>
void MbarrierState::wait_until(Done done, Site where) {
  Gang& gang = *block_->gang;
  ++gang.work().mbarrier_waits;
  const std::uint64_t begin = gang.steps();
  if (!done()) {
    ++gang.work().mbarrier_blocked;
    note(*block_, Happening::kBlocked, offset_, phase_, begin);
  }
  ++waiting_;
  while (!done()) gang.wait(*current.thread, *this, where);
  --waiting_;
  note(*block_, Happening::kWait, offset_, phase_ - 1, begin);
  observed_ = std::max(observed_, phase_);
}

void MbarrierState::wait_parity(unsigned parity, Site where) {
  if (parity > 1) {
    fail(where, "wait for parity ", parity, ": a parity is 0 or 1, the phase's lowest bit");
  }
  wait_until([&] { return (phase_ & 1) != parity; }, where);
}

bool MbarrierState::test_parity(unsigned parity, Site where) {
  if ((phase_ & 1) == parity) return false;
  wait_parity(parity, where);
  return true;
}

void MbarrierState::wait_token(std::uint64_t token, Site where) {
  if (token > phase_) {
    fail(where, "wait_token with something that arrive() on ", name(), " did not return");
  }
  wait_until([&] { return phase_ > token; }, where);
}

std::string MbarrierState::name() const {
  return join(
      "the mbarrier at shared offset ", offset_,
      (block_->gang->blocks().size() > 1 ? " of block " + text(block_->index) : std::string()));
}

std::string MbarrierState::describe(const Thread&) const {
  const std::string out = join("for ", name(), ": ", phase_text(phase_), " lacks ", pending_,
                               " of ", count_, " arrivals");
  if (bytes_ > 0) return join(out, " and ", bytes_, " expected bytes");
  if (bytes_ < 0) return join(out, ", while ", -bytes_, " unexpected bytes have come");
  return out;
}

std::string MbarrierState::likely_cause(const Thread&) const {
  if (pending_ == 0 && bytes_ > 0) {
    return join(
        bytes_, " expected bytes that no load is bringing to ", name(),
        ": arrive_and_expect was told more than the loads bring",
        block_->gang->blocks().size() > 1 ? ", or a multicast's mask leaves this block out" : "");
  }
  if (bytes_ < 0) {
    return join(-bytes_, " bytes have come to ", name(),
                " that no arrive_and_expect has announced");
  }
  if (phase_ > observed_) {  // and it is the next one that somebody waits for
    const std::uint64_t missed = phase_ - observed_;
    return join(name(), " ended ", missed == 1 ? "a phase" : join(missed, " phases"),
                " before anybody waited for ", missed == 1 ? "it" : "them",
                ": it gets more arrivals than init() was told, or threads arrive that did not wait "
                "first");
  }
  return "";
}

void Mbarriers::begin(Block& block) {
  block_ = &block;
  states_.clear();
  by_offset_.clear();
}

MbarrierState*& Mbarriers::at(const void* barrier, const char* word, Site where) {
  const auto address = reinterpret_cast<std::uintptr_t>(barrier);
  if (!block_->shared_memory.holds(address, 8)) {
    fail(where, word, " on an mbarrier that is not in the block's shared memory");
  }
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(barrier) -
                                               block_->shared_memory.window());
  if (offset % 8 != 0) {
    fail(where, word, " on an mbarrier at shared offset ", offset,
         ", which is not a multiple of 8");
  }
  if (offset / 8 >= by_offset_.size()) by_offset_.resize(offset / 8 + 1, nullptr);
  return by_offset_[offset / 8];
}

MbarrierState& Mbarriers::find(const void* barrier, const char* word, Site where) {
  MbarrierState* state = at(barrier, word, where);
  if (state == nullptr) {
    fail(where, word, " on shared offset ",
         static_cast<const std::byte*>(barrier) - block_->shared_memory.window(),
         ", where no mbarrier has been initialised (yet): a barrier between init() and "
         "its first use is missing, or init() itself");
  }
  std::uint64_t mark;
  std::memcpy(&mark, barrier, sizeof mark);
  if (mark != kMark) {
    fail(where, state->name(), " has been overwritten: a store or a tile reaches into it");
  }
  return *state;
}

void Mbarriers::init(void* barrier, unsigned arrivals, Site where) {
  MbarrierState*& state = at(barrier, "init", where);
  if (arrivals < 1 || arrivals > kMostBytes) {
    fail(where, "init of an mbarrier for ", arrivals, " arrivals: it takes 1 to 1048575");
  }
  if (state != nullptr) {
    fail(where, state->name(), " is initialised a second time (by more than one thread?)");
  }
  const auto offset = static_cast<std::byte*>(barrier) - block_->shared_memory.window();
  state = &states_.emplace_back(*block_, static_cast<unsigned>(offset), arrivals,
                                current.thread->cluster_phase);
  std::memcpy(barrier, &kMark, sizeof kMark);
}

void Mbarriers::invalidate(void* barrier, Site where) {
  find(barrier, "invalidate", where);
  at(barrier, "invalidate", where) = nullptr;
  std::memset(barrier, kPoison, 8);
}

MbarrierState& own_mbarrier(const void* barrier, Site where, const char* word) {
  return running_thread(word).warp->block->mbarriers.find(barrier, word, where);
}

MbarrierState& peer_mbarrier(const void* barrier, unsigned rank, Site where, const char* word) {
  Block& peer = live_peer(rank, word, where);
  MbarrierState& state = peer.mbarriers.find(map_to(peer, barrier, word, where), word, where);
  if (&peer != current.block) state.check_shared(word, where);
  return state;
}

}  // namespace runtime
