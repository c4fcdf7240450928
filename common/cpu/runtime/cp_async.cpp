#include <runtime/copies.hpp>

#include <runtime/gang.hpp>
#include <runtime/happenings.hpp>
#include <runtime/report.hpp>

#include <cstring>

namespace runtime {

void CopyGroups::begin(Gang& gang) {
  gang_ = &gang;
  const auto& blocks = gang.blocks();
  threads_ = static_cast<unsigned>(blocks.size() * blocks.front().threads.size());
  if (!used_) return;
  for (Queue& queue : queues_) queue.copies.clear(), queue.groups.clear();
  used_ = false;
}

CopyGroups::Queue& CopyGroups::queue_of(const Thread& thread) {
  const Block& block = *thread.warp->block;
  if (queues_.size() < threads_) queues_.resize(threads_);
  return queues_[block.rank * block.threads.size() + thread.number];
}

void CopyGroups::copy(void* smem, const void* global, std::uint32_t bytes, std::uint32_t valid,
                      Site where) {
  Thread& thread = *current.thread;
  if (valid > bytes) {
    fail(where, "cp_async of ", valid, " of ", bytes, " bytes: more are valid than are copied");
  }
  check_shared(smem, bytes, Access::kStore, where);
  if (valid > 0) check_global_range(global, bytes, valid, where);
  Block& block = *thread.warp->block;
  const auto offset =
      static_cast<std::uint32_t>(static_cast<std::byte*>(smem) - block.shared_memory.window());
  const Copy* other = filling({block, offset, offset + bytes, "cp_async", where});
  if (other != nullptr && (other->from != global || other->valid != valid)) {
    fail(where, "cp_async into shared memory that the cp_async at ", other->where,
         " fills with something else, and whose group its thread has not waited for");
  }
  note_shared(thread, smem, bytes, Access::kCopy, where);
  ++block.shadow.at(offset).copies;
  Queue& queue = queue_of(thread);
  used_ = true;
  queue.copies.push_back({static_cast<std::byte*>(smem), static_cast<const std::byte*>(global),
                          bytes, valid, false, where});
  if (gang_->timing().lands_at_once()) carry_out(queue.copies.back());
}

void CopyGroups::carry_out(Copy& copy) {
  if (copy.done) return;
  copy.done = true;
  if (copy.valid > 0) std::memcpy(copy.to, copy.from, copy.valid);
  std::memset(copy.to + copy.valid, 0, copy.bytes - copy.valid);
}

void CopyGroups::commit() {
  Queue& queue = queue_of(*current.thread);
  used_ = true;
  queue.groups.push_back(queue.copies.size());
  note(*current.block, Happening::kCommit, 0, 0, gang_->steps());
}

void CopyGroups::wait(unsigned pending) {
  const Queue& queue = queue_of(*current.thread);
  if (queue.groups.size() <= pending) return;
  const std::size_t groups = queue.groups.size() - pending;
  retire(*current.thread, queue.groups[groups - 1], groups);
}

void CopyGroups::wait_all() {
  const Queue& queue = queue_of(*current.thread);
  retire(*current.thread, queue.copies.size(), queue.groups.size());
}

void CopyGroups::stir() {
  Dice& dice = gang_->timing().dice();
  if (!used_ || dice.below(4) != 0) return;
  Queue& queue = queues_[dice.below(threads_)];
  if (!queue.copies.empty()) {
    carry_out(queue.copies[dice.below(static_cast<unsigned>(queue.copies.size()))]);
  }
}

void CopyGroups::retire(Thread& thread, std::size_t copies, std::size_t groups) {
  Queue& queue = queue_of(thread);
  Block& block = *thread.warp->block;
  for (std::size_t i = 0; i < copies; ++i) {
    carry_out(queue.copies[i]);
    const auto offset =
        static_cast<std::uint32_t>(queue.copies[i].to - block.shared_memory.window());
    Shadow::Chunk& known = block.shadow.at(offset);
    --known.copies;
    known.writer = writer_of(thread);
  }
  queue.copies.erase(queue.copies.begin(), queue.copies.begin() + static_cast<long>(copies));
  queue.groups.erase(queue.groups.begin(), queue.groups.begin() + static_cast<long>(groups));
  for (std::size_t& end : queue.groups) end -= copies;
  note(block, Happening::kRetire, static_cast<std::uint32_t>(groups), 0, gang_->steps());
}

const CopyGroups::Copy* CopyGroups::filling(const Touch& touch) const {
  if (!used_) return nullptr;
  bool any = false;
  for (std::uint32_t chunk = touch.begin / kChunk * kChunk; chunk < touch.end; chunk += kChunk) {
    any = any || touch.block.shadow.look(chunk).copies > 0;
  }
  if (!any) return nullptr;
  const std::byte* window = touch.block.shared_memory.window();
  for (const Queue& queue : queues_) {
    for (const Copy& copy : queue.copies) {
      if (copy.to < window + touch.end && window + touch.begin < copy.to + copy.bytes) return &copy;
    }
  }
  return nullptr;
}

void CopyGroups::check(const Touch& touch) const {
  const Copy* copy = filling(touch);
  if (copy == nullptr) return;
  fail(touch.where, touch.word, touch.writes ? " overwrites" : " reads",
       " shared memory that the cp_async at ", copy->where,
       " fills, and whose group its thread has not waited for",
       touch.writes ? ""
                    : ": cp_async_wait there, then a barrier, then the read (or is the stage "
                      "refilled too early?)");
}

void CopyGroups::on_thread_exit(const Thread& thread) {
  if (!used_ || queue_of(thread).copies.empty()) return;
  fail_in(&thread, queue_of(thread).copies.front().where,
          "this cp_async is still under way when its thread exits: cp_async_wait<0>() first");
}

}  // namespace runtime
