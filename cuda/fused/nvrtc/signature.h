// engine/core/signature.h for NVRTC: a signature that nothing reads.
#pragma once

namespace mt {

struct Signature {
  constexpr Signature() = default;
  constexpr Signature(const char*) {}
};

}  // namespace mt
