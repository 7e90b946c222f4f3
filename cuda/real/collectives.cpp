// Implements cuda/vendor/collectives.h with NCCL 2.
#include "cuda/vendor/collectives.h"

#include <cuda_runtime.h>

#include "cuda/real/scopes.h"
#include "cuda/runtime/context.h"

namespace mt::cuda::collectives {

std::string device_id(int device) {
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, device), "a device's properties");
  std::string text;
  for (const char byte : all.uuid.bytes) {
    constexpr char digits[] = "0123456789abcdef";
    const auto bits = static_cast<unsigned char>(byte);
    text.append({digits[bits / 16], digits[bits % 16]});
  }
  return text;
}

}  // namespace mt::cuda::collectives

#if __has_include(<nccl.h>)  // NCCL is not part of CUDA

#include <nccl.h>

#include <cstring>
#include <utility>

#include "cuda/real/library.h"

namespace mt::cuda::collectives {

struct Member {
  ncclComm_t communicator;
  int device;
};

namespace {

constexpr std::initializer_list<const char*> names = {"libnccl.so.2"};

struct Nccl {
  Library library{"NCCL", names};
  MT_LIBRARY_FUNCTION(library, ncclGetVersion);
  MT_LIBRARY_FUNCTION(library, ncclGetUniqueId);
  MT_LIBRARY_FUNCTION(library, ncclCommInitRank);
  MT_LIBRARY_FUNCTION(library, ncclCommInitAll);
  MT_LIBRARY_FUNCTION(library, ncclCommDestroy);
  MT_LIBRARY_FUNCTION(library, ncclCommAbort);
  MT_LIBRARY_FUNCTION(library, ncclCommGetAsyncError);
  MT_LIBRARY_FUNCTION(library, ncclGetErrorString);
  MT_LIBRARY_FUNCTION(library, ncclGetLastError);
  MT_LIBRARY_FUNCTION(library, ncclGroupStart);
  MT_LIBRARY_FUNCTION(library, ncclGroupEnd);
  MT_LIBRARY_FUNCTION(library, ncclBroadcast);
  MT_LIBRARY_FUNCTION(library, ncclAllGather);
  MT_LIBRARY_FUNCTION(library, ncclSend);
  MT_LIBRARY_FUNCTION(library, ncclRecv);
  MT_LIBRARY_FUNCTION(library, ncclAllReduce);
  MT_LIBRARY_FUNCTION(library, ncclReduce);
  MT_LIBRARY_FUNCTION(library, ncclReduceScatter);
};
const Nccl& nccl() {
  static const Nccl& all = *new Nccl;
  return all;
}

std::string described(ncclResult_t status, ncclComm_t communicator) {
  std::string text = nccl().ncclGetErrorString(status);
  const char* const last = nccl().ncclGetLastError(communicator);
  return last == nullptr || *last == '\0' ? text : text.append(": ").append(last);
}

void check(ncclResult_t status, const char* function, ncclComm_t communicator = nullptr) {
  if (status != ncclSuccess) raise(std::string(function) + ": " + described(status, communicator));
}

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }

struct Elements {
  ncclDataType_t type;
  ncclRedOp_t operation;
};

ncclDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return ncclInt8;
    case DType::int32:
      return ncclInt32;
    case DType::int64:
      return ncclInt64;
    case DType::float16:
      return ncclFloat16;
    case DType::float32:
      return ncclFloat32;
    case DType::float64:
      return ncclFloat64;
    case DType::bfloat16:
      return ncclBfloat16;
    default:
      return ncclUint8;
  }
}

// Booleans are bytes of 0 and 1: their sum is "or", their product "and".
Elements as_elements(const Reduced& elements) {
  constexpr ncclRedOp_t operations[] = {ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg};
  Reduction reduction = elements.reduction;
  if (elements.dtype == DType::boolean && reduction == Reduction::sum) reduction = Reduction::max;
  if (elements.dtype == DType::boolean && reduction == Reduction::product) reduction = Reduction::min;
  return {type_of(elements.dtype), operations[static_cast<int>(reduction)]};
}

}  // namespace

std::string missing() {
  static const bool is_there = Library::is_there(names);
  return is_there ? "" : "NCCL is needed, and libnccl.so.2 was not found: install libnccl2, or name its folder in LD_LIBRARY_PATH";
}

int version() {
  int number = 0;
  check(nccl().ncclGetVersion(&number), "ncclGetVersion");
  return number;
}

bool reduces(DType dtype) { return type_of(dtype) != ncclUint8 || dtype == DType::uint8 || dtype == DType::boolean; }

UniqueId unique_id() {
  static_assert(sizeof(ncclUniqueId) == sizeof(UniqueId));
  ncclUniqueId own;
  check(nccl().ncclGetUniqueId(&own), "ncclGetUniqueId");
  UniqueId id;
  std::memcpy(id.data(), &own, sizeof own);
  return id;
}

Communicator join(int device, int ranks, const UniqueId& id, int rank) {
  const OnDevice scope(device);
  ncclUniqueId own;
  std::memcpy(&own, id.data(), sizeof own);
  ncclComm_t communicator = nullptr;
  check(nccl().ncclCommInitRank(&communicator, ranks, own, rank), "ncclCommInitRank");
  return new Member{communicator, device};
}

std::vector<Communicator> join_all(const std::vector<int>& devices) {
  std::vector<ncclComm_t> natives(devices.size());
  check(nccl().ncclCommInitAll(natives.data(), static_cast<int>(devices.size()), devices.data()), "ncclCommInitAll");
  std::vector<Communicator> all;
  for (size_t i = 0; i < devices.size(); ++i) all.push_back(new Member{natives[i], devices[i]});
  return all;
}

void leave(Communicator communicator) noexcept {
  nccl().ncclCommDestroy(communicator->communicator);
  delete communicator;
}

void abort(Communicator communicator) noexcept {
  if (ncclComm_t const own = std::exchange(communicator->communicator, nullptr); own != nullptr) nccl().ncclCommAbort(own);
}

std::string failure(Communicator communicator) {
  if (communicator->communicator == nullptr) return "aborted";
  ncclResult_t status = ncclSuccess;
  check(nccl().ncclCommGetAsyncError(communicator->communicator, &status), "ncclCommGetAsyncError", communicator->communicator);
  return status == ncclSuccess || status == ncclInProgress ? "" : described(status, communicator->communicator);
}

void begin_group() { check(nccl().ncclGroupStart(), "ncclGroupStart"); }
void end_group() { check(nccl().ncclGroupEnd(), "ncclGroupEnd"); }

// Calls an NCCL function with the communicator's device current.
#define MT_NCCL(name, ...)                                                             \
  const OnDevice scope(communicator->device);                                          \
  if (communicator->communicator == nullptr) raise(#name ": an aborted communicator"); \
  check(nccl().name(__VA_ARGS__, communicator->communicator, native(stream)), #name, communicator->communicator)

void broadcast(Communicator communicator, Stream stream, const void* in, void* out, size_t bytes, int root) {
  MT_NCCL(ncclBroadcast, in, out, bytes, ncclUint8, root);
}
void all_gather(Communicator communicator, Stream stream, const void* in, void* out, size_t bytes) {
  MT_NCCL(ncclAllGather, in, out, bytes, ncclUint8);
}
void send(Communicator communicator, Stream stream, const void* in, size_t bytes, int peer) {
  MT_NCCL(ncclSend, in, bytes, ncclUint8, peer);
}
void receive(Communicator communicator, Stream stream, void* out, size_t bytes, int peer) {
  MT_NCCL(ncclRecv, out, bytes, ncclUint8, peer);
}
void all_reduce(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements) {
  const auto [type, operation] = as_elements(elements);
  MT_NCCL(ncclAllReduce, in, out, elements.count, type, operation);
}
void reduce(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements, int root) {
  const auto [type, operation] = as_elements(elements);
  MT_NCCL(ncclReduce, in, out, elements.count, type, operation, root);
}
void reduce_scatter(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements) {
  const auto [type, operation] = as_elements(elements);
  MT_NCCL(ncclReduceScatter, in, out, elements.count, type, operation);
}
#undef MT_NCCL

}  // namespace mt::cuda::collectives

#else

namespace mt::cuda::collectives {

std::string missing() { return "the plug-in was built without NCCL: nccl.h, of libnccl-dev, was not found"; }
bool reduces(DType) { return false; }
namespace {
[[noreturn]] void refuse() { raise(missing()); }
}  // namespace
int version() { refuse(); }
UniqueId unique_id() { refuse(); }
Communicator join(int, int, const UniqueId&, int) { refuse(); }
std::vector<Communicator> join_all(const std::vector<int>&) { refuse(); }
void leave(Communicator) noexcept {}
void abort(Communicator) noexcept {}
std::string failure(Communicator) { refuse(); }
void begin_group() { refuse(); }
void end_group() { refuse(); }
void broadcast(Communicator, Stream, const void*, void*, size_t, int) { refuse(); }
void all_gather(Communicator, Stream, const void*, void*, size_t) { refuse(); }
void send(Communicator, Stream, const void*, size_t, int) { refuse(); }
void receive(Communicator, Stream, void*, size_t, int) { refuse(); }
void all_reduce(Communicator, Stream, const void*, void*, const Reduced&) { refuse(); }
void reduce(Communicator, Stream, const void*, void*, const Reduced&, int) { refuse(); }
void reduce_scatter(Communicator, Stream, const void*, void*, const Reduced&) { refuse(); }

}  // namespace mt::cuda::collectives

#endif
