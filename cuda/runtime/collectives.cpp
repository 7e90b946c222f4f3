#include "cuda/runtime/collectives.h"

#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/streams.h"
#include "engine/core/error.h"

namespace mt::cuda {
namespace {

enum Kind : int32_t { broadcast = 1, all_reduce, reduce, gather, scatter, all_gather, reduce_scatter, all_to_all, send, receive };

bool reads_dtype(int32_t kind) { return kind == all_reduce || kind == reduce || kind == reduce_scatter; }

// What a rank reads and writes, in tensors of `count` elements.
struct Needs {
  int input, output;
};
Needs needs_of(const Membership& member, const mt_cuda_collective& call) {
  const int all = member.ranks;
  const bool is_root = call.peer == member.rank;
  switch (call.kind) {
    case broadcast:
      return {is_root ? 1 : 0, 1};
    case all_reduce:
      return {1, 1};
    case reduce:
      return {1, is_root ? 1 : 0};
    case gather:
      return {1, is_root ? all : 0};
    case scatter:
      return {is_root ? all : 0, 1};
    case all_gather:
      return {1, all};
    case reduce_scatter:
      return {all, 1};
    case all_to_all:
      return {all, all};
    case send:
      return {1, 0};
    default:
      return {0, 1};
  }
}

bool has_peer(int32_t kind) { return kind == broadcast || kind == reduce || kind == gather || kind == scatter || kind >= send; }

size_t element_bytes(const mt_cuda_collective& call) { return static_cast<size_t>(info(static_cast<DType>(call.dtype)).size); }

void run_messages(const Membership& member, Stream stream, const mt_cuda_collective& call, size_t bytes) {
  const auto* const in = static_cast<const std::byte*>(call.input);
  auto* const out = static_cast<std::byte*>(call.output);
  const bool is_root = call.peer == member.rank;
  const bool sends_all = call.kind == all_to_all || (call.kind == scatter && is_root);
  const bool receives_all = call.kind == all_to_all || (call.kind == gather && is_root);
  const size_t own = static_cast<size_t>(member.rank) * bytes;
  if (call.kind == all_to_all || is_root) driver::copy_within(stream, out + (receives_all ? own : 0), in + (sends_all ? own : 0), bytes);
  for (int rank = 0; rank < member.ranks; ++rank) {
    if (rank == member.rank) continue;
    const size_t at = static_cast<size_t>(rank) * bytes;
    if (sends_all) collectives::send(member.native, stream, in + at, bytes, rank);
    if (receives_all) collectives::receive(member.native, stream, out + at, bytes, rank);
  }
  if (call.kind == gather && !is_root) collectives::send(member.native, stream, in, bytes, call.peer);
  if (call.kind == scatter && !is_root) collectives::receive(member.native, stream, out, bytes, call.peer);
}

}  // namespace

CollectiveGroup::~CollectiveGroup() {
  if (!open_) return;
  try {
    collectives::end_group();
  } catch (...) {  // the error that ended the scope is the one to raise
  }
}

void check_collective(const char* function, const Membership& member, const mt_cuda_collective& call) {
  if (call.size != sizeof call) fail(function, "size", call.size, ", expected ", sizeof call);
  if (call.kind < broadcast || call.kind > receive) fail(function, "kind", call.kind, ", expected 1..10");
  if (call.dtype < 0 || call.dtype >= dtype_count) fail(function, "dtype", call.dtype, ", expected 0..", dtype_count - 1);
  if (call.count < 0 || call.count > int64_t{1} << 50) fail(function, "count", call.count, ", expected 0 or more");
  const DType dtype = static_cast<DType>(call.dtype);
  if (reads_dtype(call.kind)) {
    if (call.reduction < 0 || call.reduction > 4) fail(function, "reduction", call.reduction, ", expected 0..4");
    if (!collectives::reduces(dtype)) fail(function, "dtype", info(dtype).name, ", expected one that NCCL can add");
    if (call.reduction == 4 && kind_of(dtype) != NumberKind::real) fail(function, "reduction", "mean of integers, expected floats");
  }
  if (has_peer(call.kind) && (call.peer < 0 || call.peer >= member.ranks))
    fail(function, "peer", call.peer, ", expected 0..", member.ranks - 1);
  if (call.kind >= send && call.peer == member.rank) fail(function, "peer", call.peer, ", expected another rank");
  const size_t bytes = static_cast<size_t>(call.count) * element_bytes(call);
  const Needs needs = needs_of(member, call);
  CachingAllocator& memory = device(member.device).allocator();
  const auto holds = [&](const void* address, int tensors) {
    return bytes == 0 || tensors == 0 || memory.holds(address, bytes * static_cast<size_t>(tensors));
  };
  if (!holds(call.input, needs.input)) fail(function, "input", "an address elsewhere, expected memory in one tensor of the device");
  if (!holds(call.output, needs.output)) fail(function, "output", "an address elsewhere, expected memory in one tensor of the device");
}

void run_collective(const Membership& member, Stream stream, const mt_cuda_collective& call) {
  if (call.count == 0) return;
  const size_t bytes = static_cast<size_t>(call.count) * element_bytes(call);
  const collectives::Reduced elements{static_cast<size_t>(call.count), static_cast<DType>(call.dtype),
                                      static_cast<collectives::Reduction>(call.reduction)};
  switch (call.kind) {
    case broadcast:
      return collectives::broadcast(member.native, stream, call.input, call.output, bytes, call.peer);
    case all_reduce:
      return collectives::all_reduce(member.native, stream, call.input, call.output, elements);
    case reduce:
      return collectives::reduce(member.native, stream, call.input, call.output, elements, call.peer);
    case all_gather:
      return collectives::all_gather(member.native, stream, call.input, call.output, bytes);
    case reduce_scatter:
      return collectives::reduce_scatter(member.native, stream, call.input, call.output, elements);
    case send:
      return collectives::send(member.native, stream, call.input, bytes, call.peer);
    case receive:
      return collectives::receive(member.native, stream, call.output, bytes, call.peer);
    default:
      break;
  }
  CollectiveGroup together;
  run_messages(member, stream, call, bytes);
  together.end();
}

CollectiveWork::CollectiveWork(std::shared_ptr<Membership> member, Stream stream, const mt_cuda_collective& call)
    : member_(std::move(member)), stream_(stream), call_(call), before_(driver::create_event(stream.device, false)) {
  after_ = driver::create_event(stream.device, false);
  driver::record(before_, current_stream(stream.device));
  const Needs needs = needs_of(*member_, call_);
  CachingAllocator& memory = device(stream.device).allocator();
  if (call_.count > 0 && needs.input > 0) memory.record_use(call_.input, stream_);
  if (call_.count > 0 && needs.output > 0) memory.record_use(call_.output, stream_);
}

CollectiveWork::~CollectiveWork() {
  driver::destroy_event(before_);
  driver::destroy_event(after_);
}

void CollectiveWork::begin() {
  if (const std::string problem = collectives::failure(member_->native); !problem.empty()) raise("NCCL: " + problem);
  driver::wait(stream_, before_);
  run_collective(*member_, stream_, call_);
  driver::record(after_, stream_);
  begun_ = true;
}

void CollectiveWork::check_begun() const {
  if (!begun_) fail("mt_cuda_work", "work", "one that has not begun, expected mt_cuda_work_begin before");
}

void CollectiveWork::await() {
  check_begun();
  driver::wait(current_stream(stream_.device), after_);
}

bool CollectiveWork::is_done() {
  check_begun();
  return driver::is_done(after_);
}

}  // namespace mt::cuda
