// The machine code of several steps of a fused loop, in variants for the layouts of its operands.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "engine/core/mutex.h"
#include "engine/graph/fused/machine_code.h"

namespace mt {

class FusedCode {
 public:
  // Place i of the trace is place places[i] of the schedule.
  FusedCode(Trace trace, std::vector<MachineCode::Store> stores, std::vector<uint8_t> places)
      : trace_(std::move(trace)), stores_(std::move(stores)), places_(std::move(places)) {}

  const std::vector<uint8_t>& places() const { return places_; }
  const std::vector<MachineCode::Store>& stores() const { return stores_; }

  // Whether a run of so many elements should use code. Making it takes some 50 us, so the first run of few elements does without.
  bool is_worth_it(int64_t elements) const { return runs_.fetch_add(1, std::memory_order_relaxed) > 0 || elements >= 8192; }

  // The variant for places of which those in `single` have one element (bit i: place i); it is made at its first use. Null if it can't be
  // made, while another thread makes one, or if there are too many others.
  const MachineCode* find(uint64_t single, bool streams) const;

 private:
  struct Variant {
    uint64_t single = 0;
    bool streams = false;
    std::unique_ptr<const MachineCode> code;
  };
  static constexpr int most_variants = 8;

  const Trace trace_;
  const std::vector<MachineCode::Store> stores_;
  const std::vector<uint8_t> places_;
  mutable std::atomic<uint64_t> runs_{0};
  mutable std::atomic<int> count_{0};  // of variants; those before it stay as they are
  mutable std::array<Variant, most_variants> variants_;
  mutable ThreadMutex mutex_;
};

}  // namespace mt
