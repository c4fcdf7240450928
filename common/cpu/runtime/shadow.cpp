#include <runtime/shadow.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>
#include <runtime/gang.hpp>
#include <runtime/report.hpp>

namespace runtime {

namespace {

// A writer: the thread's number in the block, from 1, above the count of its proxy fences.
constexpr unsigned kFenceBits = 20;
constexpr std::uint32_t kFenceMask = (1u << kFenceBits) - 1;

std::uint32_t writer_of(const Thread& thread) {
  return (thread.number + 1) << kFenceBits | (thread.proxy_fences & kFenceMask);
}

}  // namespace

Shadow::Chunk& Shadow::at(std::uint32_t offset) {
  const std::size_t number = offset / kChunk;
  if (number >= chunks_.size()) chunks_.resize(number + 1);
  return chunks_[number];
}

void note_generic_write(Thread& thread, std::uint32_t offset, std::uint32_t bytes, Site where) {
  const Block& block = *thread.warp->block;
  block.gang->copies().check_write(block, offset, offset + bytes, "a store", where);
  note_copy_write(thread, offset, bytes, where);
}

void note_copy_write(Thread& thread, std::uint32_t offset, std::uint32_t bytes, Site where) {
  Block& block = *thread.warp->block;
  Gang& gang = *block.gang;
  if (!gang.tma().idle()) gang.tma().check_write(block, offset, offset + bytes, "a store", where);
  if (!gang.tensor_cores().idle()) {
    gang.tensor_cores().check_write(block, offset, offset + bytes, "a store", where);
  }
  for (std::uint32_t chunk = offset; chunk < offset + bytes; chunk += kChunk) {
    Shadow::Chunk& known = block.shadow.at(chunk);
    known.writer = writer_of(thread);
    known.swizzle = 0;
  }
}

void mark_writer(Thread& thread, std::uint32_t offset) {
  thread.warp->block->shadow.at(offset).writer = writer_of(thread);
}

void note_generic_read(Thread& thread, std::uint32_t offset, std::uint32_t bytes, Site where) {
  Block& block = *thread.warp->block;
  Gang& gang = *block.gang;
  if (!gang.tma().idle()) gang.tma().check_read(block, offset, offset + bytes, "a load", where);
  gang.copies().check_read(block, offset, offset + bytes, "a load", where);
}

void check_async_read(const Block& block, std::uint32_t offset, const char* word, Site where) {
  const Shadow::Chunk& known = block.shadow.look(offset);
  if (known.copies > 0) {
    block.gang->copies().check_read(block, offset, offset + kChunk, word, where);
  }
  if (known.writer == 0) return;
  const Thread& writer = block.threads[(known.writer >> kFenceBits) - 1];
  if (writer_of(writer) != known.writer) return;  // it has fenced since
  fail(where, word, " reads shared offset ", offset, ", which thread ", writer.number,
       " wrote by an ordinary store without fence_proxy_async() behind it: the "
       "asynchronous proxy may not see it (store, fence, barrier, then ",
       word, ")");
}

void note_proxy_fence(Thread& thread) {
  ++thread.proxy_fences;
}

}  // namespace runtime
