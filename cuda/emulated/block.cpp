#include "cuda/emulated/block.h"

#include <cstring>
#include <numeric>

#include "cuda/grid.h"

namespace mt::cuda::emulated {
namespace {

// A permutation of 0..n-1 that depends on the seed.
struct Order {
  uint64_t n, step, start;
  Order(uint64_t count, uint64_t seed) : n(count), step(1), start(0) {
    if (n < 2) return;
    start = seed % n;
    step = (seed >> 7) % n;
    while (step == 0 || std::gcd(step, n) != 1) step = (step + 1) % n;
  }
  uint64_t operator[](uint64_t i) const { return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * step + start) % n); }
};

struct ThreadCall {
  Block* block;
  const Launch* kernel;
  int index;
};
thread_local ThreadCall starting;

}  // namespace

std::string Block::run(const Launch& kernel, uint64_t seed) {
  kernel_ = &kernel;
  failure_.clear();
  if (kernel.blocks < 1 || kernel.blocks > INT32_MAX || kernel.threads < 1 || kernel.threads > most_threads ||
      kernel.threads % lanes != 0 || kernel.shared_bytes > most_shared_bytes) {
    return std::string(kernel.name) + ": a launch of " + std::to_string(kernel.blocks) + " blocks of " + std::to_string(kernel.threads) +
           " threads with " + std::to_string(kernel.shared_bytes) + " bytes of shared memory";
  }
  if (shared_.size() < kernel.shared_bytes) shared_.resize(kernel.shared_bytes);
  if (cells_.size() < kernel.shared_bytes) cells_.resize(kernel.shared_bytes);
  const Order order(static_cast<uint64_t>(kernel.blocks), seed);
  for (uint64_t i = 0; i < order.n && failure_.empty(); ++i) {
    number_ = static_cast<int64_t>(order[i]);
    run_block(seed + i * 0x9e3779b97f4a7c15);
  }
  return failure_;
}

void Block::run_block(uint64_t seed) {
  const auto n = static_cast<size_t>(threads());
  states_.assign(n, State::ready);
  fibres_.assign(n, -1);
  warps_.resize(n / lanes);
  for (Warp& warp : warps_) warp.arrived = 0, warp.meetings = 0, warp.warp_barriers = 0;
  for (size_t i = 0; i < cells_used_; ++i) cells_[i] = Cell();
  cells_used_ = 0;
  at_barrier_ = done_ = 0;
  barriers_ = 0;
  const Order order(n, seed);
  while (done_ < threads() && failure_.empty()) {
    bool moved = false;
    for (size_t i = 0; i < n && failure_.empty(); ++i) {
      const auto index = static_cast<int>(order[i]);
      if (states_[static_cast<size_t>(index)] != State::ready) continue;
      run_thread(index);
      moved = true;
    }
    if (!moved && failure_.empty()) {
      failure_ = std::string(kernel_->name) + ": block " + std::to_string(number_) + ": " +
                 (at_barrier_ > 0 ? std::to_string(at_barrier_) + " threads wait at a barrier that the others don't come to"
                                  : "lanes of a warp wait for others that don't come");
    }
  }
  for (const int fibre : fibres_) {  // left by a failed block
    if (fibre >= 0) idle_.push_back(fibre);
  }
}

void Block::run_thread(int index) {
  int& fibre = fibres_[static_cast<size_t>(index)];
  if (fibre < 0) {
    if (idle_.empty()) {
      idle_.push_back(static_cast<int>(pool_.size()));
      pool_.push_back(std::make_unique<Fibre>());
    }
    fibre = idle_.back();
    idle_.pop_back();
    starting = {this, kernel_, index};
    pool_[static_cast<size_t>(fibre)]->begin(
        [](void*) {
          const ThreadCall call = starting;
          Thread thread(*call.block, call.index);
          call.kernel->run(call.kernel->kernel, thread);
        },
        nullptr);
  }
  running_ = index;
  if (!pool_[static_cast<size_t>(fibre)]->resume()) return;
  states_[static_cast<size_t>(index)] = State::done;
  ++done_;
  idle_.push_back(fibre);
  fibre = -1;
}

void Block::wait(State state) {
  const int self = running_;
  states_[static_cast<size_t>(self)] = state;
  Fibre::suspend();
  running_ = self;
}

void Block::barrier() {
  if (++at_barrier_ < threads()) return wait(State::at_barrier);
  at_barrier_ = 0;
  ++barriers_;
  for (State& state : states_) {
    if (state == State::at_barrier) state = State::ready;
  }
}

const Slot* Block::meet_warp(const void* value, size_t bytes) {
  const int first = running_ / lanes * lanes;
  Warp& warp = warps_[static_cast<size_t>(running_ / lanes)];
  if (warp.arrived == 0) warp.bytes = bytes;
  if (warp.bytes != bytes) fail("lanes of a warp meet in different collectives");
  Slot* const slots = warp.slots[warp.meetings % 2];
  if (bytes > 0) std::memcpy(slots[running_ - first].bytes, value, bytes);
  if (++warp.arrived < lanes) {
    wait(State::at_warp);
  } else {
    warp.arrived = 0;
    ++warp.meetings;
    for (int i = first; i < first + lanes; ++i) {
      State& state = states_[static_cast<size_t>(i)];
      if (state == State::at_warp) state = State::ready;
    }
  }
  return slots;
}

void Block::warp_barrier() {
  meet_warp(nullptr, 0);
  // All lanes have passed the same number of meetings.
  Warp& warp = warps_[static_cast<size_t>(running_ / lanes)];
  warp.warp_barriers = warp.meetings;
}

Block::Moment Block::now() const {
  return {static_cast<int16_t>(running_), barriers_, warps_[static_cast<size_t>(running_ / lanes)].warp_barriers};
}

bool Block::ordered(const Moment& earlier) const {
  if (earlier.thread < 0 || earlier.thread == running_ || earlier.barriers != barriers_) return true;
  return earlier.thread / lanes == running_ / lanes && earlier.warp_barriers != warps_[static_cast<size_t>(running_ / lanes)].warp_barriers;
}

bool Block::read_by_others(const Cell& cell) const {
  if (cell.read.thread < 0 || cell.read.barriers != barriers_) return false;
  if (cell.readers == Readers::one) return !ordered(cell.read);
  if (cell.readers == Readers::many || cell.read.thread / lanes != running_ / lanes) return true;
  return cell.read.warp_barriers == now().warp_barriers;
}

std::byte* Block::shared_access(size_t offset, size_t bytes, Access access) {
  Cell& cell = cells_[offset];
  if (offset + bytes > cells_used_) cells_used_ = offset + bytes;
  if (access == Access::read) {
    if (!cell.written) fail("a read of shared memory that no thread wrote");
    if (!ordered(cell.write)) fail("a race in shared memory: a read and another thread's write without a barrier between them");
    if (cell.read.thread < 0 || cell.read.barriers != barriers_)
      cell.readers = Readers::one;
    else if (cell.read.thread / lanes != running_ / lanes)
      cell.readers = Readers::many;
    else if (cell.read.thread != running_ && cell.readers == Readers::one)
      cell.readers = Readers::one_warp;
    cell.read = now();
  } else {
    const bool with_atomics = access == Access::atomic && cell.by_atomic;
    if (access == Access::atomic && !cell.written) fail("an atomic on shared memory that no thread wrote");
    if (!with_atomics && !ordered(cell.write)) fail("a race in shared memory: two threads' writes, without a barrier between them");
    if (read_by_others(cell)) fail("a race in shared memory: a write and another thread's read without a barrier between them");
    cell.write = now();
    cell.written = true;
    cell.by_atomic = access == Access::atomic;
  }
  return shared_.data() + offset;
}

void Block::expect_shared(size_t bytes) {
  if (bytes > kernel_->shared_bytes) fail("more shared memory than the launch asked for");
}

void Block::fail(const char* what) {
  failure_ = std::string(kernel_->name) + ": block " + std::to_string(number_) + ", thread " + std::to_string(running_) + ": " + what;
  for (;;) Fibre::suspend();
}

}  // namespace mt::cuda::emulated
