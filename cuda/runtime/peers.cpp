#include "cuda/runtime/peers.h"

#include <mutex>

#include "cuda/kernels/copy.h"
#include "cuda/runtime/streams.h"

namespace mt::cuda {
namespace {

enum class Access : uint8_t { undecided, on, off };
std::mutex lock;
Access accesses[most_devices][most_devices];

bool decide(int device, int peer) {
  Access& access = accesses[device][peer];
  if (access == Access::undecided) {
    const bool can = driver::can_access_peer(device, peer);
    if (can) driver::set_peer_access(device, peer, true);
    access = can ? Access::on : Access::off;
  }
  return access == Access::on;
}

// A contiguous copy with the destination's dtype, on the device of src.
Tensor packed_for(const Tensor& dst, const Tensor& src) {
  if (src.dtype() == dst.dtype() && src.is_contiguous()) return src;
  const Tensor packed = Tensor::empty(dst.dtype(), src.sizes(), src.device());
  copy_elements(packed, src);
  return packed;
}

}  // namespace

void copy_to_peer(const Tensor& dst, const Tensor& src) {
  if (dst.numel() == 0) return;
  const Tensor packed = packed_for(dst, src);
  const Tensor there = dst.is_contiguous() ? dst : Tensor::empty(dst.dtype(), src.sizes(), dst.device());
  const Stream from = stream_of(src), to = stream_of(dst);
  has_peer_access(from.device, to.device);
  hold_up(from, to);  // waits for work that uses the destination's memory
  driver::copy_to_peer(from, there.bytes(), to.device, packed.bytes(), static_cast<size_t>(dst.numel() * size_of(dst.dtype())));
  hold_up(to, from);
  if (there.storage() != dst.storage()) copy_elements(dst, there);
}

bool has_peer_access(int device, int peer) {
  const std::lock_guard guard(lock);
  return decide(device, peer);
}

void set_peer_access(int device, int peer, bool on) {
  const std::lock_guard guard(lock);
  if (decide(device, peer) == on) return;
  driver::set_peer_access(device, peer, on);
  accesses[device][peer] = on ? Access::on : Access::off;
}

}  // namespace mt::cuda
