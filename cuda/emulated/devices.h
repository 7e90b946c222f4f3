// The emulated machine.
#pragma once

namespace mt::cuda::emulated {

inline constexpr int most_devices = 6;
int device_count();  // 2, or what the environment variable MOONTORCH_EMULATED_DEVICES says

}  // namespace mt::cuda::emulated
