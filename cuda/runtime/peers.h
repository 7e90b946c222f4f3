// Copies between GPUs.
#pragma once

#include "engine/core/tensor.h"

namespace mt::cuda {

// A CopyFn between two devices, which waits for neither. Conversions, and contiguous copies, run on the device of their tensor.
void copy_to_peer(const Tensor& dst, const Tensor& src);

// Whether copies access a peer's memory directly: if possible, from the first copy on, unless it is switched off.
bool has_peer_access(int device, int peer);
void set_peer_access(int device, int peer, bool on);

}  // namespace mt::cuda
