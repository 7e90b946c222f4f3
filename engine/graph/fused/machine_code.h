// Machine code of a trace: a loop over contiguous elements. It is made at run time by Xbyak, for AVX2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/graph/fused/trace.h"

namespace mt {

class MachineCode {
 public:
  // What the code stores: an instruction's result, to a place.
  struct Store {
    int32_t value, place;
  };

  // Whether this build, the processor and the system allow it, and the CPU's kernels have the same results: they use AVX2 or AVX-512.
  static bool is_available();

  // Bit i of `single`: place i has one element for all. `streams`: streaming stores, to addresses that are multiples of 32 bytes. Null if
  // there is no memory for it.
  static std::unique_ptr<const MachineCode> make(const Trace& trace, std::span<const Store> stores, uint64_t single, bool streams);

  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  // Computes n elements from the addresses of the places on. Returns the number of elements that are done: fewer than n if the trace
  // refuses one of the next vector.
  int64_t run(std::byte* const* places, int64_t n) const { return function_(places, n); }

 private:
  using Function = int64_t (*)(std::byte* const* places, int64_t n);

  MachineCode(void* memory, size_t bytes) : function_(reinterpret_cast<Function>(memory)), bytes_(bytes) {}

  Function function_;
  size_t bytes_;
};

}  // namespace mt
