// The random bits of a call in kernels: from Philox counters, and in a graph also from the number of its replay.
#pragma once

#include "cuda/grid.h"
#include "cuda/runtime/replays.h"
#include "engine/core/philox.h"

namespace mt::cuda {

struct CallDraws {
  Draws draws;
  const uint64_t* replays;  // nullptr outside a graph

  CallDraws(const Draws& of_call, Stream stream) : draws(of_call), replays(replays_on(stream)) {}

  MT_DEVICE PhiloxBlock block(int64_t number) const {
    const uint64_t at = draws.first + static_cast<uint64_t>(number), replay = replays == nullptr ? 0 : *replays;
    return philox(
        {{static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32), static_cast<uint32_t>(replay), static_cast<uint32_t>(replay >> 32)}},
        static_cast<uint32_t>(draws.key), static_cast<uint32_t>(draws.key >> 32));
  }
  MT_DEVICE uint64_t bits64(int64_t element) const {
    const PhiloxBlock both = block(element / 2);
    return element % 2 == 0 ? Draws::pair(both, 0) : Draws::pair(both, 1);
  }
};

void count_replay(Stream stream, uint64_t* replays);  // adds 1

}  // namespace mt::cuda
