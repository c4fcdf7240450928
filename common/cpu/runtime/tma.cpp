#include <runtime/copies.hpp>

#include <runtime/gang.hpp>
#include <runtime/happenings.hpp>
#include <runtime/report.hpp>
#include <runtime/tracer.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace runtime {

constexpr std::uint32_t kTileAlignment = 128;
// Of a tile that threads write: they begin at its start with the swizzle's pattern, TMA goes by the
// address.
static std::uint32_t written_tile_alignment(core::SwizzleMode swizzle) {
  if (swizzle == core::SwizzleMode::kNone) return kTileAlignment;
  return std::max(kTileAlignment, 8 * static_cast<std::uint32_t>(core::span_bytes(swizzle)));
}

// Checks that the tile in shared memory is there, at a multiple of `alignment`, and returns its
// offset.
static std::uint32_t tile_offset(const Block& block, const TensorMap& map, std::uint32_t bytes,
                                 const void* smem, std::uint32_t alignment, const char* word,
                                 Site where) {
  const auto address = reinterpret_cast<std::uintptr_t>(smem);
  const SharedMemory& memory = block.shared_memory;
  if (!memory.holds(address, bytes)) {
    fail(where, word, ": the tile of ", bytes,
         " bytes does not lie within the block's shared memory");
  }
  const auto offset =
      static_cast<std::uint32_t>(address - reinterpret_cast<std::uintptr_t>(memory.window()));
  if (offset % alignment != 0) {
    fail(where, word, ": the tile lies at shared offset ", offset, ", with ",
         to_string(map.shape.swizzle), " swizzle it must be a multiple of ", alignment,
         ": alignas(", alignment, ")");
  }
  return offset;
}

// Calls use(row, memory, first, count) for every inner row of the box: `row` counts them, `count`
// elements from the row's element `first` on lie inside the tensor, at `memory`.
template <class Use>
static void for_each_row(const Box& box, Use use) {
  const core::TensorMapShape& shape = box.map.shape;
  const auto width = static_cast<std::int64_t>(shape.box[0]);
  const std::int64_t first = std::max<std::int64_t>(0, -std::int64_t{box.at[0]});
  const std::int64_t last =
      std::min(width, static_cast<std::int64_t>(shape.size[0]) - std::int64_t{box.at[0]});
  std::array<std::uint32_t, 5> index = {};
  for (std::uint32_t row = 0;; ++row) {
    bool inside = first < last;
    std::int64_t offset = (box.at[0] + first) * box.map.element_bytes;
    for (int d = 1; d < shape.rank; ++d) {
      const std::int64_t coordinate = std::int64_t{box.at[d]} + index[d];
      inside = inside && coordinate >= 0 && coordinate < static_cast<std::int64_t>(shape.size[d]);
      offset += coordinate * static_cast<std::int64_t>(shape.stride_bytes[d]);
    }
    if (inside) {
      use(row, box.map.base + offset, first, last - first);
    } else {
      use(row, nullptr, std::int64_t{0}, std::int64_t{0});
    }
    int d = 1;
    while (d < shape.rank && ++index[d] == shape.box[d]) index[d++] = 0;
    if (d == shape.rank) return;
  }
}

static void check_tensor(const std::byte* memory, std::size_t bytes, const char* word, Site where) {
  if (current.memory.holds(reinterpret_cast<std::uintptr_t>(memory), bytes)) return;
  fail_in(nullptr, where, word,
          ": the tensor map describes more than the allocation behind it (its sizes or strides?)");
}

static Box box_of(const TensorMap& map, const int* at, int rank, const char* word, Site where) {
  check_prior_grid(where);
  if (rank != map.shape.rank) {
    fail(where, word, " with ", rank, " coordinates of a tensor of rank ", map.shape.rank);
  }
  Box box{map, {}};
  std::copy(at, at + rank, box.at);
  if (box.at[0] * map.element_bytes % 16 != 0) {
    fail(where, word, ": the box begins in column ", box.at[0],
         ", which is not a multiple of 16 bytes: the hardware stops with \"illegal "
         "instruction\"");
  }
  return box;
}

// Where a store differs from a load (found on an H200; the manuals do not say): it takes no
// negative coordinates, and it cuts rows off in whole pieces of 16 bytes.
static void check_store_edges(const Box& box, Site where) {
  const core::TensorMapShape& shape = box.map.shape;
  for (int d = 0; d < shape.rank; ++d) {
    if (box.at[d] >= 0) continue;
    fail(where, "tma_store: coordinate ", d, " is ", box.at[d],
         ": a store, other than a load, begins inside the tensor (the hardware stops "
         "with \"illegal instruction\")");
  }
  const auto columns = static_cast<std::int64_t>(shape.size[0]);
  const bool cut = box.at[0] < columns && box.at[0] + std::int64_t{shape.box[0]} > columns;
  if (cut && columns * box.map.element_bytes % 16 != 0) {
    fail(where, "tma_store: rows of ", columns,
         " elements are not a multiple of 16 bytes: the hardware cuts a store off in "
         "pieces of 16 bytes and would write past their end");
  }
}

// Bytes of the box that lie inside the tensor. Tells the trace, if there is one, where.
static std::uint32_t count_inside(const Box& box, Tracer* trace) {
  std::uint32_t bytes = 0;
  for_each_row(box, [&](std::uint32_t, const std::byte* memory, std::int64_t, std::int64_t count) {
    const auto size = static_cast<std::uint32_t>(count * box.map.element_bytes);
    bytes += size;
    if (trace != nullptr && size > 0) trace->box_row(memory, size);
  });
  if (trace != nullptr) trace->end_of_box();
  return bytes;
}

std::uint32_t Box::rows() const {
  std::uint32_t out = 1;
  for (int d = 1; d < map.shape.rank; ++d) out *= map.shape.box[d];
  return out;
}

std::uint32_t Box::row_pitch() const {
  if (map.shape.swizzle == core::SwizzleMode::kNone) return row_bytes();
  return static_cast<std::uint32_t>(core::span_bytes(map.shape.swizzle));
}

void Tma::begin(Gang& gang) {
  gang_ = &gang;
  loads_.clear();
  stores_.clear();
}

void Tma::load(const TensorMap& map, const int* at, int rank, void* smem, void* barrier,
               unsigned cta_mask, const char* word, Site where) {
  const Box box = box_of(map, at, rank, word, where);
  const std::uint32_t bytes = box.tile_bytes();
  const std::uint32_t offset =
      tile_offset(*current.block, map, bytes, smem, kTileAlignment, word, where);
  if (cta_mask >> gang_->blocks().size() != 0 || cta_mask == 0) {
    fail(where, word, ": the mask ", cta_mask, " names blocks that a cluster of ",
         gang_->blocks().size(), " does not have");
  }
  const std::uint32_t fetched = count_inside(box, gang_->trace());
  gang_->work().tma_load_bytes += fetched;
  const bool at_once = gang_->timing().lands_at_once();
  const bool multicast = std::popcount(cta_mask) > 1;
  for (unsigned rank_of_target = 0; cta_mask >> rank_of_target != 0; ++rank_of_target) {
    if ((cta_mask >> rank_of_target & 1) == 0) continue;
    MbarrierState& state = peer_mbarrier(barrier, rank_of_target, where, word);
    Block& block = state.block();
    const Touch touch{block, offset, offset + bytes, word, where, true};
    check(touch);
    gang_->tensor_cores().check_write(touch);
    gang_->copies().check(touch);
    block.shadow.at(offset);  // from here on something is known: reads must ask
    gang_->work().tma_shared_bytes += box.bytes();
    if (multicast) gang_->work().tma_multicast_bytes += box.bytes();
    loads_.push_back({box, &block, offset, where, &state, state.phase()});
    note(block, Happening::kLoad, state.offset(), state.phase(), gang_->steps());
    if (at_once) carry_out(loads_.back());
  }
}

void Tma::send(void* smem, const void* chunk, void* barrier, unsigned rank, Site where) {
  if (gang_->blocks().size() < 2) {  // found on an H100
    fail(where,
         "store_async in a launch without clusters of at least two blocks: the hardware "
         "stops with \"illegal instruction\"");
  }
  MbarrierState& state = peer_mbarrier(barrier, rank, where, "store_async");
  Block& block = state.block();
  const auto offset = static_cast<std::uint32_t>(static_cast<const std::byte*>(smem) -
                                                 current.block->shared_memory.window());
  const Touch touch{block, offset, offset + kChunk, "store_async", where, true};
  check(touch);
  gang_->tensor_cores().check_write(touch);
  block.shadow.at(offset);
  Transfer& made = loads_.emplace_back(Transfer{{}, &block, offset, where, &state, state.phase()});
  std::memcpy(made.sent.emplace().data(), chunk, kChunk);
  if (gang_->timing().lands_at_once()) carry_out(made);
}

void Tma::carry_out(Transfer& transfer) {
  if (transfer.done) return;
  transfer.done = true;
  const TensorMap& map = transfer.box.map;
  Block& block = *transfer.block;
  const bool load = transfer.barrier != nullptr;
  if (load && block.live_threads == 0) {
    fail_in(nullptr, transfer.where, "this ", transfer.name(), " writes into block ", block.index,
            ", which has exited before waiting for it");
  }
  if (transfer.sent) {
    std::memcpy(block.shared_memory.window() + transfer.offset, transfer.sent->data(), kChunk);
    block.shadow.at(transfer.offset) = {};
    return transfer.barrier->deliver(kChunk, transfer.phase, transfer.where);
  }
  const std::uint32_t row_bytes = transfer.box.row_bytes(), pitch = transfer.box.row_pitch();
  const auto tag = static_cast<std::uint8_t>(1 + static_cast<int>(map.shape.swizzle));
  std::byte* window = block.shared_memory.window();
  for_each_row(transfer.box,
               [&](std::uint32_t row, std::byte* memory, std::int64_t first, std::int64_t count) {
                 if (count == 0 && !load) return;
                 alignas(16) std::byte buffer[1024] = {};  // 256 elements of 4 bytes; zeros outside
                 std::byte* inside = buffer + first * map.element_bytes;
                 const auto size = static_cast<std::size_t>(count * map.element_bytes);
                 if (count > 0)
                   check_tensor(memory, size, load ? "tma_load" : "tma_store", transfer.where);
                 if (load && count > 0) std::memcpy(inside, memory, size);
                 for (std::uint32_t byte = 0; byte < row_bytes; byte += kChunk) {
                   const std::uint32_t tile_byte = transfer.offset + row * pitch + byte;
                   const std::uint32_t place = core::swizzled(map.shape.swizzle, tile_byte);
                   if (load) {
                     std::memcpy(window + place, buffer + byte, kChunk);
                     Shadow::Chunk& known = block.shadow.at(place);
                     known.writer = 0;
                     known.swizzle = tag;
                   } else {
                     std::memcpy(buffer + byte, window + place, kChunk);
                   }
                 }
                 if (!load) std::memcpy(memory, inside, size);
               });
  if (load) transfer.barrier->deliver(transfer.box.bytes(), transfer.phase, transfer.where);
}

std::vector<Tma::Transfer*> Tma::under_way() {
  std::vector<Transfer*> out;
  for (Transfer& load : loads_) {
    if (!load.done) out.push_back(&load);
  }
  return out;
}

bool Tma::advance() {
  const std::vector<Transfer*> loads = under_way();
  if (loads.empty()) return false;
  const auto awaited = std::find_if(loads.begin(), loads.end(),
                                    [](const Transfer* load) { return load->barrier->awaited(); });
  carry_out(awaited == loads.end() ? *loads.front() : **awaited);
  return true;
}

void Tma::stir() {
  Dice& dice = gang_->timing().dice();
  const std::vector<Transfer*> loads = under_way();
  if (!loads.empty() && dice.below(4) == 0) {
    carry_out(*loads[dice.below(static_cast<unsigned>(loads.size()))]);
  }
  if (!stores_.empty() && dice.below(4) == 0) {
    carry_out(stores_[dice.below(static_cast<unsigned>(stores_.size()))]);
  }
}

void Tma::store(const TensorMap& map, const int* at, int rank, const void* smem, Site where) {
  const Box box = box_of(map, at, rank, "tma_store", where);
  const std::uint32_t bytes = box.tile_bytes();
  const std::uint32_t offset =
      tile_offset(*current.block, map, bytes, smem, written_tile_alignment(map.shape.swizzle),
                  "tma_store", where);
  check_store_edges(box, where);
  gang_->work().tma_store_bytes += count_inside(box, nullptr);
  check({*current.block, offset, offset + bytes, "tma_store", where});
  for (std::uint32_t chunk = offset; chunk < offset + bytes; chunk += kChunk) {
    check_async_read(*current.block, chunk, "tma_store", where);
  }
  note(*current.block, Happening::kStore, 0, 0, gang_->steps());
  Transfer& made = stores_.emplace_back(Transfer{box, current.block, offset, where});
  made.thread = current.thread;
  made.group = current.thread->store_groups;
  if (gang_->timing().reads_at_once()) carry_out(made);
}

void Tma::commit_stores() {
  ++current.thread->store_groups;
}

void Tma::wait_for_stores(unsigned pending) {
  const Thread* thread = current.thread;
  std::erase_if(stores_, [&](Transfer& store) {
    const bool due = store.thread == thread && store.group + pending < thread->store_groups;
    if (due) carry_out(store);
    return due;
  });
}

const Tma::Transfer* Tma::filling(const Touch& touch) {
  std::erase_if(loads_, [](const Transfer& load) { return load.done && load.observed(); });
  const auto found = std::find_if(loads_.begin(), loads_.end(), [&](const Transfer& load) {
    return !load.observed() && touch.meets(*load.block, load.offset, load.tile_bytes());
  });
  return found == loads_.end() ? nullptr : &*found;
}

void Tma::check(const Touch& touch) {
  if (const Transfer* load = filling(touch)) {
    const std::string barrier = load->barrier->name();
    if (touch.writes) {
      fail(touch.where, touch.word, " overwrites what the ", load->name(), " at ", load->where,
           " brings before anybody has waited for ", barrier,
           ": did nobody wait until the stage was free?");
    }
    fail(touch.where, touch.word, " reads shared memory that the ", load->name(), " at ",
         load->where, " fills, and nobody has waited for ", barrier,
         ": is a wait missing, or passed too early (too few bytes expected)?");
  }
  for (const Transfer& store : stores_) {
    if (!touch.writes || !touch.meets(*store.block, store.offset, store.box.tile_bytes())) continue;
    fail(touch.where, touch.word, " overwrites what the TMA store at ", store.where,
         " may still be reading: tma_store_wait_read first, then a barrier");
  }
}

void Tma::on_thread_exit(const Thread& thread) const {
  for (const Transfer& store : stores_) {
    if (store.thread != &thread) continue;
    const bool committed = store.group < thread.store_groups;
    fail_in(&thread, store.where, "this TMA store is still under way when its thread exits: ",
            (committed ? "tma_store_wait_read<0>() first"
                       : "tma_store_commit() and tma_store_wait_read<0>() first"));
  }
}

void Tma::on_block_exit(const Block& block) const {
  for (const Transfer& load : loads_) {
    if (load.block != &block || (load.done && load.observed())) continue;
    if (!load.observed()) {
      fail_in(nullptr, load.where, "nobody has waited for this ", load.name(), " when block ",
              block.index, ", into which it writes, exits: more loads than waits?");
    }
    fail_in(nullptr, load.where, "this ", load.name(), " is still under way when block ",
            block.index, ", into which it writes, exits: ", load.barrier->name(),
            " did not expect its bytes");
  }
}

}  // namespace runtime
