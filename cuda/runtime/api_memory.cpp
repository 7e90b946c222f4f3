// Memory of cuda/api.h.
#include <algorithm>
#include <cstring>

#include "cuda/runtime/device.h"
#include "cuda/runtime/handles.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/streams.h"

using namespace mt::cuda;
using mt::fail;

namespace {

CachingAllocator& allocator_of(const char* function, int32_t number) { return device(checked_device(function, number)).allocator(); }

}  // namespace

mt_cuda_status mt_cuda_memory_read(int32_t device, mt_cuda_memory* out) {
  return guard([&] {
    const MemoryStats now = allocator_of("mt_cuda_memory_read", device).stats();
    give_struct("mt_cuda_memory_read", out,
                mt_cuda_memory{sizeof(mt_cuda_memory), now.allocated, now.most_allocated, now.reserved, now.most_reserved, now.blocks,
                               now.most_blocks, now.segments, now.limit, now.allocations, now.driver_allocations, now.driver_releases,
                               now.retries, now.failures});
  });
}

mt_cuda_status mt_cuda_memory_reset_peaks(int32_t device) {
  return guard([&] { allocator_of("mt_cuda_memory_reset_peaks", device).reset_peaks(); });
}

mt_cuda_status mt_cuda_memory_info(int32_t device, int64_t* free_bytes, int64_t* total_bytes) {
  return guard([&] {
    size_t free = 0, total = 0;
    driver::memory_info(checked_device("mt_cuda_memory_info", device), free, total);
    checked_out("mt_cuda_memory_info", "free_bytes", free_bytes);
    checked_out("mt_cuda_memory_info", "total_bytes", total_bytes) = static_cast<int64_t>(total);
    *free_bytes = static_cast<int64_t>(free);
  });
}

mt_cuda_status mt_cuda_empty_cache(int32_t device) {
  return guard([&] {
    if (device != -1) return allocator_of("mt_cuda_empty_cache", device).trim();
    for (int i = 0; i < mt_cuda_device_count(); ++i) allocator_of("mt_cuda_empty_cache", i).trim();
  });
}

mt_cuda_status mt_cuda_set_memory_limit(int32_t device, int64_t bytes) {
  return guard([&] {
    if (bytes < 0) fail("mt_cuda_set_memory_limit", "bytes", bytes, ", expected 0 or more");
    allocator_of("mt_cuda_set_memory_limit", device).set_limit(static_cast<size_t>(bytes));
  });
}

mt_cuda_status mt_cuda_set_memory_fraction(int32_t device, double fraction) {
  return guard([&] {
    if (!(fraction > 0 && fraction <= 1)) fail("mt_cuda_set_memory_fraction", "fraction", fraction, ", expected above 0 and at most 1");
    CachingAllocator& own = allocator_of("mt_cuda_set_memory_fraction", device);
    own.set_limit(static_cast<size_t>(fraction * static_cast<double>(driver::properties(device).total_memory)));
  });
}

mt_cuda_status mt_cuda_memory_holders(int32_t device, char* text, size_t size, size_t* length) {
  return guard(
      [&] { give_text("mt_cuda_memory_holders", text, size, length, allocator_of("mt_cuda_memory_holders", device).holders(20)); });
}

mt_cuda_status mt_cuda_record_use(const void* data, int32_t stream) {
  return guard([&] {
    const Stream user = stream_called("mt_cuda_record_use", stream);
    if (!device(user.device).allocator().record_use(data, user))
      fail("mt_cuda_record_use", "data", "an address elsewhere, expected one in a tensor of the stream's device");
  });
}

mt_cuda_status mt_cuda_host_allocate(size_t bytes, void** out) {
  return guard([&] { checked_out("mt_cuda_host_allocate", "out", out) = allocate_pinned(bytes); });
}

void mt_cuda_host_release(void* memory) { release_pinned(memory); }
int32_t mt_cuda_is_pinned(const void* memory) { return is_pinned(memory) ? 1 : 0; }

mt_cuda_status mt_cuda_copy_to_device(int32_t device, void* to, const void* host, size_t bytes) {
  return guard([&] {
    const int number = checked_device("mt_cuda_copy_to_device", device);
    if (!mt::cuda::device(number).allocator().holds(to, bytes))
      fail("mt_cuda_copy_to_device", "to", bytes, " bytes, expected memory in one tensor of the device");
    driver::copy_to_device(current_stream(number), to, host, bytes);
  });
}

mt_cuda_status mt_cuda_copy_to_host(int32_t device, void* host, const void* from, size_t bytes) {
  return guard([&] {
    const int number = checked_device("mt_cuda_copy_to_host", device);
    if (!mt::cuda::device(number).allocator().holds(from, bytes))
      fail("mt_cuda_copy_to_host", "from", bytes, " bytes, expected memory in one tensor of the device");
    driver::copy_to_host(current_stream(number), host, from, bytes);
    if (!is_pinned(host)) mt::cuda::device(number).report();
  });
}
