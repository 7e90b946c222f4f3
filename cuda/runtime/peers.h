// Copies between GPUs.
#pragma once

#include "engine/core/tensor.h"

namespace mt::cuda {

// As CopyFn, of two devices: waits for neither. What is converted or made contiguous is so on its own device.
void copy_to_peer(const Tensor& dst, const Tensor& src);

// Whether a device reaches a peer's memory directly in copies; it does where it can, from the first copy on, unless it is switched off.
bool has_peer_access(int device, int peer);
void set_peer_access(int device, int peer, bool on);

}  // namespace mt::cuda
