// Plans that the CPU's kernels run, on copies of their tensors on the host: those of ops that the vendor's library lacks, and of linear
// algebra with complex matrices. Each waits for the device.
#pragma once

#include <string_view>
#include <vector>

#include "cuda/runtime/context.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/streams.h"
#include "engine/core/plan.h"
#include "engine/core/registry.h"

namespace mt::cuda {

// A copy of a plan's tensor: the same elements in the same order in memory, without gaps.
class HostCopy {
 public:
  HostCopy(Stream stream, const Operand& own)
      : stream_(stream),
        own_(&own),
        bytes_(static_cast<size_t>(own.numel() * size_of(own.dtype()))),
        tensor_(Tensor::empty(own.dtype(), {own.numel()})) {
    tensor_.set_geometry(0, own.sizes(), own.strides());
    if (bytes_ > 0) driver::copy_to_host(stream_, tensor_.bytes(), own_->bytes(), bytes_);
  }
  const Tensor& tensor() const { return tensor_; }
  void bring_back() const {
    if (bytes_ > 0) driver::copy_to_device(stream_, own_->bytes(), tensor_.bytes(), bytes_);
  }

 private:
  Stream stream_;
  const Operand* own_;
  size_t bytes_;
  Tensor tensor_;
};

// Runs the CPU's kernel of an op. The plan's tensors are operands without gaps.
template <class Plan> void run_on_host(std::string_view op, const Plan& plan) {
  std::vector<HostCopy> copies;
  const auto each_operand = [](auto& any_plan, auto&& f) {
    detail::with_fields(any_plan, [&](auto&... fields) {
      const auto visit = [&](auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Operand>) {
          if (field) f(field);
        }
      };
      (visit(fields), ...);
    });
  };
  each_operand(plan, [&](const Operand& own) { copies.emplace_back(op_stream(), own); });
  Plan on_host = plan;
  each_operand(on_host, [&, next = copies.begin()](Operand& operand) mutable { operand = (next++)->tensor(); });
  const Kernel kernel = host().cpu_kernel(op);
  kernel.run(&on_host, kernel.data);
  if constexpr (requires { plan.failure; }) *plan.failure = *on_host.failure;
  for (const HostCopy& copy : copies) copy.bring_back();
}

// Runs the plan so if its matrices are complex, and returns whether they are.
template <class Plan> bool ran_on_host(std::string_view op, const Operand& matrices, const Plan& plan) {
  if (!complex_dtypes.contains(matrices.dtype())) return false;
  run_on_host(op, plan);
  return true;
}

}  // namespace mt::cuda
