// The number of replays of a graph, in device memory, where its random number kernels read it. The number is part of their counters, so
// that each replay draws new numbers. The first replay draws the numbers that the captured calls would have drawn.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"
#include "engine/core/device.h"

namespace mt::cuda {

class Replays {
 public:
  explicit Replays(Stream stream);  // on which a capture will begin
  Replays(const Replays&) = delete;
  Replays& operator=(const Replays&) = delete;
  ~Replays();

  void end() noexcept;        // ends the capture
  void count(Stream stream);  // on which the graph was just replayed

 private:
  const Stream stream_;
  const Memory memory_;
  bool draws_ = false;
};

// The counter for kernels that are captured on a stream; nullptr outside captures.
const uint64_t* replays_on(Stream stream);

}  // namespace mt::cuda
