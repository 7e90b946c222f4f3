#include "engine/core/pending.h"

#include <cstring>
#include <deque>
#include <vector>

#include "engine/core/meta.h"
#include "engine/core/sanitizer.h"

namespace mt {

void plan_pending(Call& call) {
  if (call.given != 0) fail(call.name(), "results", "a given result can't be pending");
  std::vector<Value> args(call.args.begin(), call.args.end());
  std::deque<Tensor> planned;
  std::deque<std::vector<Tensor*>> lists;
  const auto on_meta = [&](const Tensor* t) { return &planned.emplace_back(without_elements(*t)); };
  for (Value& v : args) {
    if (v.is_tensor()) v.tensor = on_meta(v.tensor);
    if (v.type != Value::Type::tensors) continue;
    std::vector<Tensor*>& list = lists.emplace_back();
    for (int i = 0; i < v.count; ++i) list.push_back(on_meta(v.tensors[i]));
    v.tensors = list.data();
  }
  Call inner = call;
  inner.args = args;
  inner.hook = nullptr;
  inner.device = inner.default_device = meta_device;
  plan_op(inner);
  call.as_number = inner.as_number;
}

void settle(Storage& storage, DeviceId id) {
  MT_ASSERT(storage.device == meta_device && id != meta_device);
  const auto bytes = static_cast<size_t>(storage.size) * static_cast<size_t>(size_of(storage.dtype));
  if (id == cpu_device) {
    const Block block = allocate(bytes);
    storage.data = static_cast<std::byte*>(block.data);
    storage.capacity = block_bytes(block.size_class);
    storage.data_class = block.size_class;
    set_usable(storage.data, bytes, storage.capacity);
    if (storage.dtype == DType::boolean) std::memset(storage.data, 0, bytes);
  } else {
    const Memory memory = device(id).allocator().allocate(bytes);
    if (memory.data == nullptr) raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for on ", device_name(id)));
    storage.data = static_cast<std::byte*>(memory.data);
    storage.capacity = memory.bytes;
    if (storage.dtype == DType::boolean) device(id).clear(memory.data, bytes);
  }
  storage.device = id;
}

}  // namespace mt
