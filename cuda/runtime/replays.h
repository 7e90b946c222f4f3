// How often a graph has been replayed, in the device's memory, where its kernels of random numbers read it: what they draw takes that
// number as a part of its counters, so that each replay draws anew. The first one draws what the captured calls would have drawn.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"
#include "engine/core/device.h"

namespace mt::cuda {

class Replays {
 public:
  explicit Replays(Stream stream);  // on which a capture is about to begin
  Replays(const Replays&) = delete;
  Replays& operator=(const Replays&) = delete;
  ~Replays();

  void end() noexcept;        // of the capture
  void count(Stream stream);  // on which the graph has just been replayed

 private:
  const Stream stream_;
  const Memory memory_;
  bool draws_ = false;
};

// What kernels that are captured on a stream read; nullptr where none are.
const uint64_t* replays_on(Stream stream);

}  // namespace mt::cuda
