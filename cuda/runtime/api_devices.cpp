// Devices, errors and counters of cuda/api.h.
#include <algorithm>
#include <cstdio>

#include "cuda/fused/run.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/handles.h"
#include "cuda/runtime/peers.h"
#include "cuda/runtime/streams.h"
#include "cuda/vendor/collectives.h"
#include "engine/core/current_exception.h"

namespace mt::cuda {
namespace {

thread_local LastMessage<4096> last;

int devices_there_are() { return std::min(driver::device_count(), most_devices); }

}  // namespace

mt_cuda_status keep_error() noexcept { return static_cast<mt_cuda_status>(last.keep_current_exception()); }

int checked_device(const char* function, int32_t device) {
  if (device < 0 || device >= devices_there_are()) fail(function, "device", device + int64_t{1}, ", expected 1..", devices_there_are());
  return device;
}

}  // namespace mt::cuda

using namespace mt::cuda;
using mt::fail;

const char* mt_cuda_error_message(void) { return last.text; }

int32_t mt_cuda_is_emulated(void) { return driver::is_emulated ? 1 : 0; }
int32_t mt_cuda_driver_version(void) { return driver::driver_version(); }
int32_t mt_cuda_runtime_version(void) { return driver::runtime_version(); }
int32_t mt_cuda_device_count(void) { return devices_there_are(); }
int32_t mt_cuda_current_device(void) { return current_device(); }

mt_cuda_status mt_cuda_set_current_device(int32_t device) {
  return guard([&] { set_current_device(checked_device("mt_cuda_set_current_device", device)); });
}

mt_cuda_status mt_cuda_device_properties(int32_t device, mt_cuda_properties* out) {
  return guard([&] {
    const Properties& own = driver::properties(checked_device("mt_cuda_device_properties", device));
    mt_cuda_properties all = {};
    std::snprintf(all.name, sizeof all.name, "%s", own.name.c_str());
    std::snprintf(all.id, sizeof all.id, "%s", collectives::device_id(device).c_str());
    all.major = own.major;
    all.minor = own.minor;
    all.multiprocessors = own.multiprocessors;
    all.threads_per_multiprocessor = own.threads_per_multiprocessor;
    all.threads_per_block = 1024;
    all.warp_size = 32;
    all.clock_khz = own.clock_khz;
    all.memory_clock_khz = own.memory_clock_khz;
    all.memory_bus_bits = own.memory_bus_bits;
    all.total_bytes = static_cast<int64_t>(own.total_memory);
    all.shared_bytes_per_block = static_cast<int64_t>(own.shared_per_block);
    all.l2_cache_bytes = static_cast<int64_t>(own.l2_cache);
    give_struct("mt_cuda_device_properties", out, all);
  });
}

mt_cuda_status mt_cuda_synchronize(int32_t device) {
  return guard([&] {
    if (device != -1) return mt::cuda::device(checked_device("mt_cuda_synchronize", device)).synchronize();
    for (int i = 0; i < devices_there_are(); ++i) mt::cuda::device(i).synchronize();
  });
}

mt_cuda_status mt_cuda_can_access_peer(int32_t device, int32_t peer, int32_t* out) {
  return guard([&] {
    const int from = checked_device("mt_cuda_can_access_peer", device), to = checked_device("mt_cuda_can_access_peer", peer);
    checked_out("mt_cuda_can_access_peer", "out", out) = from != to && driver::can_access_peer(from, to) ? 1 : 0;
  });
}

mt_cuda_status mt_cuda_peer_access(int32_t device, int32_t peer, int32_t* out) {
  return guard([&] {
    const int from = checked_device("mt_cuda_peer_access", device), to = checked_device("mt_cuda_peer_access", peer);
    checked_out("mt_cuda_peer_access", "out", out) = from != to && has_peer_access(from, to) ? 1 : 0;
  });
}

mt_cuda_status mt_cuda_set_peer_access(int32_t device, int32_t peer, int32_t on) {
  return guard([&] {
    const int from = checked_device("mt_cuda_set_peer_access", device), to = checked_device("mt_cuda_set_peer_access", peer);
    if (from == to) fail("mt_cuda_set_peer_access", "peer", peer + 1, ", expected another device");
    if (on != 0 && !driver::can_access_peer(from, to))
      fail("mt_cuda_set_peer_access", "peer", peer + 1, ", expected a device that device ", from + 1, " can reach directly");
    set_peer_access(from, to, on != 0);
  });
}

mt_cuda_status mt_cuda_counters_read(mt_cuda_counters* out) {
  return guard([&] {
    const Counters now = counters();
    const auto whole = [](uint64_t n) { return static_cast<int64_t>(n); };
    mt_cuda_counters all = {};
    all.launches = whole(now.launches);
    all.synchronizations = whole(now.synchronizations);
    all.copies_to_device = whole(now.copies_to_device);
    all.copies_to_host = whole(now.copies_to_host);
    all.bytes_to_device = whole(now.bytes_to_device);
    all.bytes_to_host = whole(now.bytes_to_host);
    all.driver_allocations = whole(now.allocations);
    all.fused_launches = whole(now.fused_launches);
    all.compiled_kernels = whole(now.compiled_kernels);
    all.read_kernels = whole(now.read_kernels);
    all.refused_kernels = whole(now.refused_kernels);
    give_struct("mt_cuda_counters_read", out, all);
  });
}

mt_cuda_status mt_cuda_compiler_log(char* text, size_t size, size_t* length) {
  return guard([&] { give_text("mt_cuda_compiler_log", text, size, length, last_fused_log()); });
}
