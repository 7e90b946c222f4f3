#include "engine/messages/message.h"

#include <atomic>
#include <utility>

#include "engine/core/arguments.h"

namespace mt::messages {
namespace {

Tensor range_of(const StoragePtr& storage, int64_t begin, int64_t end) {
  const int64_t size = end - begin, stride = 1;
  return Tensor::over(storage, begin, {&size, 1}, {&stride, 1});
}

// Copies only elements that tensors of the message show: a batch of a large data set doesn't copy the whole set.
void copy_elements(Message::Memory& memory) {
  const StoragePtr from = std::exchange(memory.storage, StoragePtr());
  if (memory.begin >= memory.end) {
    memory.begin = memory.end = 0;
    memory.storage = StoragePtr::adopt(Storage::create(from->dtype, 0, from->device));
  } else {
    memory.storage = clone(range_of(from, memory.begin, memory.end)).storage_ptr();
  }
  memory.storage->channels_last = from->channels_last;
}

}  // namespace

CodePtr Codes::of(std::string_view bytes) {
  static std::atomic<uint64_t> last_id{0};
  if (const auto known = known_.find(bytes); known != known_.end()) return known->second;
  if (known_.size() >= most) known_.clear();
  const auto code = std::make_shared<const Code>(Code{++last_id, std::string(bytes)});
  known_.emplace(code->bytes, code);
  return code;
}

void Message::copy_memory() {
  for (Memory& memory : memories) {
    if (memory.by_reference) {
      memory.is_new = !memory.storage->between_threads();
      memory.storage->share_between_threads();
    } else {
      copy_elements(memory);
    }
  }
  for (Window& window : tensors) {
    if (window.memory == none || memories[window.memory].by_reference) continue;
    const Memory& memory = memories[window.memory];
    Tensor& t = window.tensor;
    const Tensor from = t;
    t.set_storage(memory.storage, memory.end == 0 ? 0 : from.offset() - memory.begin, from.sizes(), from.strides());
    t.interpret_as(from.dtype());
  }
}

}  // namespace mt::messages
