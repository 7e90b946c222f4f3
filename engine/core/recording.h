// A call as a value: the plans that it launched and their kernels, which can be launched again with other tensors of the same dtypes, sizes
// and strides.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"

namespace mt {

// A launch as a value: a kernel and its plan. Whoever runs it holds the storages of the plan's operands.
class Launch {
 public:
  Launch(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan);

  std::string_view op() const { return op_; }  // empty: a function of core
  const Kernel& kernel() const { return kernel_; }
  const void* plan() const { return plan_.get(); }
  void* mutable_plan() const { return plan_.get(); }
  template <class F> void each_storage(F&& f) const;  // of the operands
  // The places of all operands. A visitor that changes them moves the launch to other memory.
  void visit(OperandVisitor& visitor) const { type().visit(plan_.get(), visitor); }
  void run() const { run(plan_.get()); }
  // Runs a copy of the plan, on the stack, after the visitor has seen it. Several threads may call it.
  void run_moved(OperandVisitor& visitor) const;

 private:
  struct FreePlan {
    const PlanType* type;
    void operator()(void* plan) const;
  };

  const PlanType& type() const { return *plan_.get_deleter().type; }
  void run(void* plan) const;

  std::string_view op_;
  DeviceId device_;
  Kernel kernel_;
  std::unique_ptr<void, FreePlan> plan_;
};

template <class F> void Launch::each_storage(F&& f) const {
  PlaceVisitor visitor([&f](OperandPlace& place) { f(place.storage); });
  visit(visitor);
}

// The launches of a function in the calling thread, in order.
struct LaunchList {
  std::vector<Launch> launches;
  std::vector<StoragePtr> storages;  // of their operands, each once

  // Runs the function. Raises an error when a step can't be repeated: the host reads elements, waits for an answer of a kernel, or draws
  // random numbers.
  explicit LaunchList(const std::function<void()>& program);
};

// Whether the caller has the only reference to a storage, besides this thread's recorder.
bool is_unique_but_recorded(const Storage& storage);

// Positions count the tensors of a call: those of the arguments in order, with lists expanded, then the results. An operand of a plan is a
// view of one of these tensors, or of a temporary, such as a contiguous copy, which the recording holds. Each replay writes the
// temporaries, so only one thread at a time may replay a recording with temporaries.
class Recording {
 public:
  // Runs the call without its hook.
  explicit Recording(Call& call);
  Recording(Recording&&) noexcept = default;
  Recording& operator=(Recording&&) noexcept = default;

  // The reason why it can't be replayed: the host read elements, waited for an answer of a kernel, or the call drew random numbers. Empty
  // if it can.
  std::string_view obstacle() const { return obstacle_; }
  size_t steps() const { return steps_.size(); }
  size_t tensors() const { return like_.size(); }
  // Launches all plans again, without a planning function. Allocates host memory only for operands in lists (OperandList) and for operands
  // with more than 8 dimensions. `tensors` are by position; they must overlap exactly where those of the call did. Raises an error if there
  // is an obstacle, or if a tensor differs.
  void replay(std::span<Tensor* const> tensors) const;

 private:
  struct Place {
    int tensor;      // position from 0; -1: a temporary, whose place is fixed
    int64_t offset;  // bytes from the tensor's first element
  };
  struct Step {
    Launch launch;
    std::vector<Place> places;
  };

  static void run(const Step& step, std::span<Tensor* const> tensors);

  std::vector<Step> steps_;
  std::vector<StoragePtr> temporaries_;
  std::vector<Tensor> like_;  // geometries without storages
  std::vector<int> results_;  // positions of tensors that a replay writes
  std::string_view obstacle_, op_;
};

}  // namespace mt
