#include <runtime/tensor_cores.hpp>

#include <runtime/current.hpp>
#include <runtime/gang.hpp>
#include <runtime/report.hpp>
#include <runtime/timing.hpp>

#include <algorithm>

namespace runtime {

void TensorCores::begin(Timing& timing) {
  timing_ = &timing;
  used_.clear();
}

Warpgroup& TensorCores::of(const Thread& thread) {
  Block& block = *thread.warp->block;
  const std::size_t per_block = (block.threads.size() + kWarpgroupSize - 1) / kWarpgroupSize;
  const std::size_t number = block.rank * per_block + thread.number / kWarpgroupSize;
  if (number >= warpgroups_.size()) warpgroups_.resize(number + 1);
  auto& warpgroup = warpgroups_[number];
  if (warpgroup == nullptr) warpgroup = std::make_unique<Warpgroup>();
  if (std::find(used_.begin(), used_.end(), warpgroup.get()) == used_.end()) {
    warpgroup->begin(block, *timing_);
    used_.push_back(warpgroup.get());
  }
  return *warpgroup;
}

void TensorCores::stir() {
  if (used_.empty() || timing_->dice().below(4) != 0) return;
  used_[timing_->dice().below(static_cast<unsigned>(used_.size()))]->stir();
}

bool TensorCores::idle() const {
  return std::all_of(used_.begin(), used_.end(), [](const Warpgroup* w) { return w->idle(); });
}

void TensorCores::check_write(const Block& block, std::uint32_t begin, std::uint32_t end,
                              const char* word, Site where) const {
  for (const Warpgroup* warpgroup : used_) warpgroup->check_write(block, begin, end, word, where);
}

void TensorCores::on_thread_exit(const Thread& thread) {
  if (!used_.empty()) of(thread).on_thread_exit(thread);
}

namespace {

Warpgroup& own(const char* word) {
  const Thread& thread = running_thread(word);
  return current.gang->tensor_cores().of(thread);
}

}  // namespace

void wgmma_fence(Site) {
  own("wgmma_fence").fence(*current.thread);
}

void wgmma_issue(const WgmmaShape& shape, std::uint32_t* d, core::MatrixDescriptor a,
                 const std::uint32_t* a_registers, core::MatrixDescriptor b, Site where) {
  own("wgmma").issue(*current.thread, shape, d, a, a_registers, b, where);
}

void wgmma_commit(Site where) {
  own("wgmma_commit").commit(*current.thread, where);
}

void wgmma_wait(unsigned pending, Site where) {
  own("wgmma_wait").wait(*current.thread, pending, where);
}

void refuse_in_flight(const char* word, Site where) {
  fail(where, word,
       " of an accumulator that a wgmma is still writing: wgmma_wait first (wait<N> leaves N "
       "groups under way)");
}

}  // namespace runtime
