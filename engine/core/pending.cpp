#include "engine/core/pending.h"

#include <deque>

#include "engine/core/meta.h"
#include "engine/core/replaced_arguments.h"

namespace mt {

void plan_pending(Call& call) {
  if (call.given != 0) fail(call.name(), "results", "a given result can't be pending");
  std::deque<Tensor> planned;
  ReplacedArguments args(call.args, [&](const Tensor* t) { return &planned.emplace_back(without_elements(*t)); });
  Call inner = call;
  inner.args = args.values();
  inner.hook = nullptr;
  inner.device = inner.default_device = meta_device;
  plan_op(inner);
  call.as_number = inner.as_number;
}

void settle(Storage& storage, DeviceId device) { storage.settle(device); }

}  // namespace mt
