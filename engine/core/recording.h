// A call as a value: the plans that it launched, with their kernels, to be launched again with other tensors of the same dtypes, sizes and
// strides.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"

namespace mt {

// The tensors of a call by position: those of the arguments, in order and those of lists one after the other, then the results. A plan's
// operand is a view of one of these, or of a temporary, such as a contiguous copy, which the recording holds. Temporaries are written by
// each replay: only one thread at a time may replay a recording that has any.
class Recording {
 public:
  // Runs the call without its hook.
  explicit Recording(Call& call);
  Recording(Recording&&) noexcept = default;
  Recording& operator=(Recording&&) noexcept = default;

  // Why it can't be replayed: the call let the host look at elements, waited for an answer of a kernel, or drew random numbers. Empty: it
  // can.
  std::string_view obstacle() const { return obstacle_; }
  size_t steps() const { return steps_.size(); }
  size_t tensors() const { return like_.size(); }
  // Launches all plans again, without a plan function. It allocates memory on the host for operands in lists (OperandList) and of more than
  // 8 dimensions alone. `tensors` are those of a call by position; they overlap where the call's did, and nowhere else. Raises an error
  // where there is an obstacle, or a tensor differs.
  void replay(std::span<Tensor* const> tensors) const;

 private:
  friend class Recorder;

  struct Place {
    int tensor;      // by position from 0; -1: a temporary, in its own place
    int64_t offset;  // bytes from the tensor's first element
  };
  struct FreePlan {
    const PlanType* type;
    void operator()(void* plan) const;
  };
  struct Step {
    std::string_view op;  // empty: a function of core
    DeviceId device;
    Kernel kernel;
    std::unique_ptr<void, FreePlan> plan;
    std::vector<Place> places;
  };

  static void run(const Step& step, std::span<Tensor* const> tensors);

  std::vector<Step> steps_;
  std::vector<StoragePtr> temporaries_;
  std::vector<Tensor> like_;  // geometries, without storage
  std::vector<int> results_;  // whose elements are written
  std::string_view obstacle_, op_;
};

}  // namespace mt
