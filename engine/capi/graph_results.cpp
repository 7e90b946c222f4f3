#include "engine/capi/graph_results.h"

#include <utility>

#include "engine/core/arguments.h"
#include "engine/ops/calls.h"

namespace mt::capi {
namespace {

void check_receiver(const Tensor& given, const Tensor& result, int32_t output, const char* function) {
  const std::string name = concat("output ", int64_t{output} + 1);
  const bool is_empty = given.dim() == 0;
  if (given.dtype() != result.dtype() || given.device() != result.device() || (!is_empty && !given.same_sizes(result)))
    refuse_argument<Status::shape>(function, name, concat(given.dtype(), " ", given.sizes()), result.dtype(), " ", result.sizes());
  if (given.overlaps_itself()) refuse_argument(function, name, "a tensor two of whose indices name one element", "separate elements");
}

}  // namespace

void check_outputs(size_t most, int32_t count, mt_tensor** outputs, const char* function) {
  if (count < 0 || static_cast<size_t>(count) > most) refuse_argument<Status::range>(function, "outputs", count, "0..", most);
  if (count > 0) take(outputs, function, "outputs");
}

GraphResultHandles::GraphResultHandles(std::span<const Tensor> made, int32_t count, mt_tensor** outputs, const char* function)
    : made_(made), outputs_(outputs), fresh_(static_cast<size_t>(count), nullptr) {
  for (int32_t i = 0; i < count; ++i) {
    if (outputs[i] != nullptr) check_receiver(outputs[i]->tensor, made[static_cast<size_t>(i)], i, function);
  }
  try {
    for (size_t i = 0; i < fresh_.size(); ++i) {
      if (outputs[i] == nullptr) fresh_[i] = give(made[i]);
    }
  } catch (...) {
    for (mt_tensor* each : fresh_) mt_tensor_release(each);
    throw;
  }
}

GraphResultHandles::~GraphResultHandles() {
  for (mt_tensor* each : fresh_) mt_tensor_release(each);
}

void GraphResultHandles::set(OpHook* hook) {
  for (size_t i = 0; i < fresh_.size(); ++i) {
    if (outputs_[i] == nullptr)
      outputs_[i] = std::exchange(fresh_[i], nullptr);
    else if (outputs_[i]->tensor.dim() == 0)
      outputs_[i]->tensor = made_[i];
    else
      call_copy(hook, outputs_[i]->tensor, made_[i]);
  }
}

}  // namespace mt::capi
