#include <runtime/wgmma.hpp>

#include <core/numeric.hpp>
#include <runtime/gang.hpp>
#include <runtime/happenings.hpp>
#include <runtime/report.hpp>

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <utility>

namespace runtime {

namespace {

float widen(std::uint32_t bits) {
  return core::to_float(core::fp16{static_cast<std::uint16_t>(bits)});
}

// Where register `index` of a thread lies in the tile (PTX ISA, "Register Fragments for wgmma"):
// fp32 registers hold one element, fp16 ones two neighbours.
struct Position {
  int row, column;
};
Position position(unsigned lane, int value) {
  const int in_warp = static_cast<int>(lane % 32);
  const int row = static_cast<int>(lane / 32) * 16 + in_warp / 4 + value / 2 % 2 * 8;
  return {row, value / 4 * 8 + in_warp % 4 * 2 + value % 2};
}

// use(register, shift, element) for each result of a thread: where it lies in the register, and
// which element of the (64, N) tile it is.
template <class Use>
void for_each_result(const WgmmaShape& shape, unsigned lane, Use use) {
  const int half = shape.packed() ? 1 : 0;
  for (int value = 0; value < shape.n / 2; ++value) {
    const auto [row, column] = position(lane, value);
    use(value >> half, (value & half) * 16, static_cast<std::size_t>(row * shape.n + column));
  }
}

}  // namespace

std::uint32_t WgmmaOperand::chunk(int row, int part) const {
  const int width = core::span_bytes(fields.swizzle) / 16;  // chunks in a row of the swizzle
  const int leading = fields.leading_bytes, stride = fields.stride_bytes;
  int offset;
  if (!mn_major) {
    offset = row / 8 * stride + row % 8 * width * 16 + part * (width == 1 ? leading : 16);
  } else if (width == 1) {
    offset = part * stride + row / 8 * leading + row % 8 * 16;
  } else {
    offset = part / width * leading + part % width * 16 + row / 8 * stride + row % 8 * width * 16;
  }
  return core::swizzled(fields.swizzle, fields.address + static_cast<std::uint32_t>(offset));
}

// The operand as floats: element (row, k) at out[row * row_step + k * k_step].
static void fetch(const WgmmaOperand& operand, const std::byte* window, ReadChunk read, int k,
                  int sign, float* out, int row_step, int k_step) {
  const int chunk_step = operand.mn_major ? k_step : row_step;    // from row to row
  const int element_step = operand.mn_major ? row_step : k_step;  // within a chunk
  operand.for_each_chunk([&](int row, int part, std::uint32_t offset) {
    float* to = out + row * chunk_step + part * (k / 2) * element_step;
    read(window + offset, static_cast<float>(sign), to, element_step);
  });
}

void Warpgroup::begin(Block& block) {
  *this = {};
  block_ = &block;
}

void Warpgroup::fence(Thread& thread) {
  ++lanes_[thread.number % kWarpgroupSize].fences;
}

Warpgroup::Accumulator& Warpgroup::accumulator_for(unsigned lane, std::uint32_t* d,
                                                   const WgmmaShape& shape, Site where) {
  for (auto& known : accumulators_) {
    if (known->registers[lane] != d) continue;
    if (known->shape.n == shape.n && known->shape.result == shape.result) return *known;
    if (known->in_flight[lane]) {
      fail(where,
           "this accumulator lies where another one lay that a wgmma is still writing: it has gone "
           "out of scope without a wgmma_wait");
    }
    known->registers[lane] = nullptr;  // the same place now holds another array
  }
  auto& made = accumulators_.emplace_back(std::make_unique<Accumulator>());
  made->shape = shape;
  made->registers[lane] = d;
  made->tile.resize(static_cast<std::size_t>(64 * shape.n));
  return *made;
}

void Warpgroup::take_over(Accumulator& accumulator, unsigned lane, bool accumulate, Site where) {
  const Lane& state = lanes_[lane];
  const WgmmaShape& shape = accumulator.shape;
  std::uint32_t* registers = accumulator.registers[lane];
  const bool used_before = accumulator.last_use[lane] > 0;
  bool changed = false;
  if (accumulate) {
    for_each_result(shape, lane, [&](int r, int shift, std::size_t element) {
      float& place = accumulator.tile[element];
      const float value =
          shape.packed() ? widen(registers[r] >> shift) : std::bit_cast<float>(registers[r]);
      changed |= std::bit_cast<std::uint32_t>(place) != std::bit_cast<std::uint32_t>(value);
      place = value;
    });
  }
  std::fill_n(registers, shape.result_registers(), kInFlight);
  // Registers that the thread has written (or read, before they are overwritten) since the last
  // fence. A chain of products into the same registers needs none.
  // When an array that is new here was written, nobody knows: any fence before will do.
  const bool touched = !used_before || changed || !accumulate;
  const unsigned since = used_before ? accumulator.fences[lane] : 0;
  if (touched && (state.fences == since || state.fences == 0)) {
    fail(where,
         "wgmma without wgmma_fence() since its accumulator registers were last touched: the fence "
         "orders the thread's own accesses before it");
  }
  accumulator.in_flight[lane] = true;
}

void Warpgroup::give_back(Accumulator& accumulator, unsigned lane, Site where) {
  const WgmmaShape& shape = accumulator.shape;
  std::uint32_t* registers = accumulator.registers[lane];
  for (int r = 0; r < shape.result_registers(); ++r) {
    if (std::exchange(registers[r], 0) == kInFlight) continue;
    fail(where, "accumulator register ", r,
         " was written by the thread while a wgmma that writes it was under way: "
         "wgmma_wait first");
  }
  for_each_result(shape, lane, [&](int r, int shift, std::size_t element) {
    const float value = accumulator.tile[element];
    registers[r] |= shape.packed()
                        ? static_cast<std::uint32_t>(core::from_float<core::fp16>(value).bits)
                              << shift
                        : std::bit_cast<std::uint32_t>(value);
  });
  accumulator.in_flight[lane] = false;
  accumulator.fences[lane] = lanes_[lane].fences;
}

void Warpgroup::check_a_registers(unsigned lane, const std::uint32_t* a, Site where) {
  Lane& state = lanes_[lane];
  if (state.fences == 0 || (state.fragments.empty() && state.fences == state.fences_at_wait)) {
    fail(where,
         "wgmma without wgmma_fence() since the registers of A were last touched: the fence orders "
         "the thread's own accesses before it");
  }
  auto used = std::find_if(state.fragments.begin(), state.fragments.end(),
                           [&](const Fragment& known) { return known.registers == a; });
  if (used == state.fragments.end()) {
    used = state.fragments.insert(used, Fragment{.registers = a});
  } else if (std::memcmp(a, used->values.data(), sizeof used->values) != 0) {
    if (used->operation >= state.waited) {
      fail(where,
           "the registers of A were rewritten while a wgmma that reads them was under way: "
           "wgmma_wait first, then wgmma_fence()");
    }
    if (used->fences == state.fences) {
      fail(
          where,
          "the registers of A were rewritten without a wgmma_fence() behind it: the wgmma may read "
          "the old values");
    }
  }
  std::memcpy(used->values.data(), a, sizeof used->values);
  used->fences = state.fences;
  used->operation = state.issued;
}

void Warpgroup::issue(Thread& thread, const WgmmaShape& shape, std::uint32_t* d,
                      core::MatrixDescriptor a, const std::uint32_t* a_registers,
                      core::MatrixDescriptor b, Site where) {
  const unsigned lane = thread.number % kWarpgroupSize;
  Lane& state = lanes_[lane];
  if (block_->threads.size() / kWarpgroupSize <= thread.number / kWarpgroupSize) {
    fail(where, "wgmma needs a warpgroup of 128 threads: the block ends before this one does");
  }
  if (state.issued - first_ == operations_.size()) {
    Operation& made = operations_.emplace_back();
    made.shape = shape;
    made.a = {core::decode(a), shape.mn_major_a, 64};
    made.b = {core::decode(b), shape.mn_major_b, shape.n};
    made.descriptor_a = a;
    made.descriptor_b = b;
    if (shape.registers_a) made.register_a.resize(static_cast<std::size_t>(64 * shape.k));
    made.accumulator = &accumulator_for(lane, d, shape, where);
    made.where = where;
  }
  Operation& op = operation(state.issued);
  if (!(op.shape == shape) || !(op.where == where) || op.descriptor_b.bits != b.bits ||
      (!shape.registers_a && op.descriptor_a.bits != a.bits)) {
    fail(where, "wgmma while other threads of the warpgroup are in the one at ", op.where,
         ", or in the same one with other arguments: all 128 must issue it alike");
  }
  Accumulator& accumulator = *op.accumulator;
  if (accumulator.registers[lane] != d) {
    // New here, or the array has moved in this thread: fine as long as nothing is under way in the
    // old place nor in the new one.
    bool busy = accumulator.in_flight[lane];
    for (auto& other : accumulators_) {
      if (other->registers[lane] != d) continue;
      busy = busy || other->in_flight[lane];
      other->registers[lane] = nullptr;
    }
    if (busy) {
      fail(where,
           "this thread's accumulator is another array than the warpgroup's: all 128 must name the "
           "same one");
    }
    accumulator.registers[lane] = d;
  }
  if (!accumulator.in_flight[lane]) take_over(accumulator, lane, shape.accumulate, where);
  if (shape.registers_a) {
    check_a_registers(lane, a_registers, where);
    // A register holds 32 bits of a row, where two 16-bit elements would lie.
    float values[16];
    shape.read_a(reinterpret_cast<const std::byte*>(a_registers), static_cast<float>(shape.sign_a),
                 values, 1);
    const int in_one = shape.k / 8;
    for (int i = 0; i < 4 * in_one; ++i) {
      const auto [row, column] = position(lane, i / in_one * 2);
      op.register_a[row * shape.k + column / 2 * in_one + i % in_one] = values[i];
    }
  }
  accumulator.last_use[lane] = ++state.issued;
  state.last = where;
  if (++op.arrived < kWarpgroupSize) return;
  ++complete_;
  check_operands(op);
  if (done_ + 1 == complete_ && block_->gang->timing().reads_at_once()) carry_out_below(complete_);
  block_->gang->wake(*this);
}

void Warpgroup::check_operands(Operation& op) const {
  for (WgmmaOperand* operand : {&op.a, &op.b}) {
    if (operand == &op.a && op.shape.registers_a) continue;
    const std::string name = operand == &op.a ? "wgmma: operand A" : "wgmma: operand B";
    const auto& fields = operand->fields;
    const auto pattern = static_cast<std::uint32_t>(core::span_bytes(fields.swizzle)) * 8;
    if (fields.swizzle != core::SwizzleMode::kNone && fields.address / 128 * 128 % pattern != 0) {
      fail(op.where, name, " starts at shared offset ", fields.address,
           ", inside the pattern of its ", to_string(fields.swizzle),
           " swizzle: tiles start at multiples of ", pattern);
    }
    std::bitset<kSharedWindow / kChunk> taken;
    std::uint32_t begin = ~0u, end = 0;
    operand->for_each_chunk([&](int, int, std::uint32_t offset) {
      begin = std::min(begin, offset);
      end = std::max(end, offset + kChunk);
      const SharedMemory& memory = block_->shared_memory;
      if (!memory.holds(reinterpret_cast<std::uintptr_t>(memory.window()) + offset, kChunk)) {
        fail(op.where, name, " reaches shared offset ", offset,
             ", outside of the block's shared memory (LBO ", fields.leading_bytes, ", SBO ",
             fields.stride_bytes, ")");
      }
      check_async_read(*block_, offset, "wgmma", op.where);
      const int written = block_->shadow.look(offset).swizzle;
      if (written != 0 && written != 1 + static_cast<int>(fields.swizzle)) {
        fail(op.where, name, " is described with ", to_string(fields.swizzle),
             " swizzle, but TMA wrote this tile with ",
             to_string(static_cast<core::SwizzleMode>(written - 1)),
             " swizzle: descriptor and tensor map must agree");
      }
      if (taken[offset / kChunk]) {
        fail(op.where, name, " finds two of its 16-byte units at shared offset ", offset, " (LBO ",
             fields.leading_bytes, ", SBO ", fields.stride_bytes, ", ", to_string(fields.swizzle),
             " swizzle): what is said of the tile contradicts itself (LBO and SBO swapped?)");
      }
      taken.set(offset / kChunk);
    });
    operand->begin = begin, operand->end = end;
    // Other tiles may lie between this one's rows: a second, closer look where it matters.
    Tma& tma = block_->gang->tma();
    if (tma.filling({*block_, begin, end, "wgmma", op.where}) == nullptr) continue;
    operand->for_each_chunk([&](int, int, std::uint32_t offset) {
      tma.check({*block_, offset, offset + kChunk, "wgmma", op.where});
    });
  }
}

void Warpgroup::carry_out(Operation& op) {
  const std::byte* window = block_->shared_memory.window();
  const WgmmaShape& shape = op.shape;
  const int n = shape.n, k = shape.k;
  float a[64 * 32];
  static thread_local float b[32 * 256];  // a fiber's stack is small
  const float* a_values = op.register_a.data();
  if (!shape.registers_a) {
    fetch(op.a, window, shape.read_a, k, shape.sign_a, a, k, 1);
    a_values = a;
  }
  fetch(op.b, window, shape.read_b, k, shape.sign_b, b, 1, n);
  std::vector<float>& tile = op.accumulator->tile;
  if (!shape.accumulate) std::fill(tile.begin(), tile.end(), 0.0f);
  if (shape.result == WgmmaResult::kS32) {
    std::vector<float> products(tile.size());  // below 2^24: exact
    multiply_add(products.data(), a_values, b, 64, n, k);
    for (std::size_t i = 0; i < tile.size(); ++i) {
      const std::int64_t sum =
          std::bit_cast<std::int32_t>(tile[i]) + static_cast<std::int64_t>(products[i]);
      const auto kept = shape.saturate ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX) : sum;
      tile[i] = std::bit_cast<float>(static_cast<std::int32_t>(kept));
    }
  } else {
    multiply_add(tile.data(), a_values, b, 64, n, k);
  }
  if (shape.packed()) {
    for (float& value : tile) value = core::to_float(core::from_float<core::fp16>(value));
  }
  block_->gang->work().tensor_flops += 2ull * 64 * static_cast<unsigned>(n * k);
}

void Warpgroup::carry_out_below(std::uint64_t end) {
  for (; done_ < end; ++done_) carry_out(operation(done_));
}

void Warpgroup::stir() {
  if (done_ < complete_) carry_out_below(done_ + 1);
}

void Warpgroup::commit(Thread& thread, Site where) {
  Lane& state = lanes_[thread.number % kWarpgroupSize];
  const std::uint64_t group = state.committed++;
  if (group == groups_.size()) groups_.push_back(state.issued);
  if (groups_[group] != state.issued) {
    fail(where,
         "wgmma_commit after another number of wgmmas than in other threads of the "
         "warpgroup: all 128 must issue the same ones");
  }
  note(*block_, Happening::kMultiply, 0, group, block_->gang->steps());
}

void Warpgroup::wait(Thread& thread, unsigned pending, Site where) {
  const unsigned lane = thread.number % kWarpgroupSize;
  Lane& state = lanes_[lane];
  if (state.committed <= pending) return;
  const std::uint64_t groups = state.committed - pending;
  const std::uint64_t end = groups_[groups - 1];
  while (complete_ < end) block_->gang->wait(thread, *this, where);
  carry_out_below(end);
  while (first_ < end) operations_.pop_front(), ++first_;
  for (auto& accumulator : accumulators_) {
    if (accumulator->in_flight[lane] && accumulator->last_use[lane] <= end) {
      give_back(*accumulator, lane, where);
    }
  }
  if (end > state.waited) note(*block_, Happening::kMultiplied, 0, groups, block_->gang->steps());
  state.waited = std::max(state.waited, end);
  state.fences_at_wait = state.fences;
}

void Warpgroup::check_write(const Touch& touch) const {
  if (block_ != &touch.block) return;
  for (const Operation& op : operations_) {
    for (const WgmmaOperand* operand : {&op.a, &op.b}) {
      if (operand == &op.a && op.shape.registers_a) continue;
      if (operand->end <= touch.begin || operand->begin >= touch.end) continue;
      operand->for_each_chunk([&](int, int, std::uint32_t offset) {
        if (!touch.meets(*block_, offset, kChunk)) return;
        fail(touch.where, touch.word, " overwrites shared memory that the wgmma at ", op.where,
             " may still be reading: its warpgroup has not waited for it (released too early?)");
      });
    }
  }
}

void Warpgroup::on_thread_exit(const Thread& thread) const {
  const unsigned lane = thread.number % kWarpgroupSize;
  if (lanes_[lane].issued <= lanes_[lane].waited) return;
  fail_in(&thread, lanes_[lane].last,
          "this wgmma is still under way when its thread exits: wgmma_commit() and wgmma_wait<0>() "
          "first");
}

std::string Warpgroup::describe(const Thread&) const {
  const Operation& op = operations_[complete_ - first_];
  return join("in wgmma_wait: ", op.arrived, " of 128 threads have issued the wgmma at ", op.where);
}

std::string Warpgroup::likely_cause(const Thread&) const {
  return "wgmma takes all 128 threads of a warpgroup: the missing ones wait elsewhere or have "
         "exited";
}

void TensorCores::begin(Gang& gang) {
  gang_ = &gang;
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
    warpgroup->begin(block);
    used_.push_back(warpgroup.get());
  }
  return *warpgroup;
}

void TensorCores::stir() {
  Dice& dice = gang_->timing().dice();
  if (used_.empty() || dice.below(4) != 0) return;
  used_[dice.below(static_cast<unsigned>(used_.size()))]->stir();
}

bool TensorCores::idle() const {
  return std::all_of(used_.begin(), used_.end(), [](const Warpgroup* w) { return w->idle(); });
}

void TensorCores::check_write(const Touch& touch) const {
  for (const Warpgroup* warpgroup : used_) warpgroup->check_write(touch);
}

void TensorCores::on_thread_exit(const Thread& thread) {
  if (!used_.empty()) of(thread).on_thread_exit(thread);
}

Warpgroup& running_warpgroup(const char* word) {
  const Thread& thread = running_thread(word);
  return current.gang->tensor_cores().of(thread);
}

void refuse_in_flight(const char* word, Site where) {
  fail(where, word,
       " of an accumulator that a wgmma is still writing: wgmma_wait first (wait<N> leaves N "
       "groups under way)");
}

}  // namespace runtime
