// The emulated machine.
#pragma once

namespace mt::cuda::emulated {

inline constexpr int device_count = 2;

}  // namespace mt::cuda::emulated
