// A run of a fused loop, as a plan: its tensors with their layouts, and its numbers.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "engine/core/geometry.h"
#include "engine/ops/fused_program.h"

namespace mt {

// The tensors of a fused loop, outputs first, and its numbers. The outputs have one shape, and the inputs broadcast to it.
struct FusedOperands {
  static constexpr int max_tensors = Geometry::max_operands, max_numbers = 32;

  int tensors, number_count;
  int64_t n;                         // elements of an output
  Addresses<max_tensors> addresses;  // if each tensor is contiguous with n elements, or one element
  int64_t strides[max_tensors];      // in that case, bytes from element to element
  Geometry geometry;                 // in all other cases
  ScalarValue numbers[max_numbers];  // those of FusedProgram::number_operands

  FusedOperands(int outputs, std::span<const Tensor* const> all, std::span<const ScalarValue> values);
  FusedOperands(const FusedOperands& other)
      : tensors(other.tensors), number_count(other.number_count), n(other.n), geometry(other.geometry) {
    std::copy_n(other.numbers, number_count, numbers);
    if (geometry) return;
    addresses.assign(other.addresses, tensors);
    std::copy_n(other.strides, tensors, strides);
  }
  FusedOperands& operator=(const FusedOperands&) = delete;

  std::byte* data(int tensor) const { return geometry ? geometry.data(tensor) : addresses[tensor]; }
  void visit(OperandVisitor& visitor) { geometry ? geometry.visit(visitor) : addresses.visit(visitor, tensors); }
};

// A run on another device than the CPU, for its kernel (engine/core/fused_device.h).
struct FusedLaunch {
  std::shared_ptr<const FusedProgram> program;
  DeviceId device;
  FusedOperands operands;

  void visit(OperandVisitor& visitor) { operands.visit(visitor); }
};

// Runs a launch on its device, in the order of the device's work. Returns false, with nothing changed, if the device has no kernel for it.
bool launch_fused(const FusedLaunch& launch);

}  // namespace mt
