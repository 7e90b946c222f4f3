#include "bindings/lua/threads/containers.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/registry.h"

namespace mt::lua {
namespace {

Tensor whole(const StoragePtr& storage) {
  const int64_t size = storage->size, stride = 1;
  return Tensor::over(storage, 0, {&size, 1}, {&stride, 1});
}

// Containers can contain each other in cycles: each container is copied once, and then its elements.
class Copier {
 public:
  ContainerPtr copy(Container* root) {
    ContainerPtr made = copy_of(ContainerPtr::share(root));
    while (!waiting_.empty()) {
      const auto [from, to] = std::move(waiting_.back());
      waiting_.pop_back();
      if (from->kind() == Container::Kind::hash)
        fill(*static_cast<Hash*>(from.get()), *static_cast<Hash*>(to.get()));
      else
        fill(*static_cast<Vec*>(from.get()), *static_cast<Vec*>(to.get()));
    }
    return made;
  }

 private:
  void fill(const Hash& from, Hash& to) {
    Element key, value;
    for (size_t cursor = 0; from.next(cursor, key, value);) to.set(copy_of(std::move(key)), copy_of(std::move(value)));
  }
  void fill(const Vec& from, Vec& to) {
    const int64_t size = from.size();
    to.resize(size);
    for (int64_t i = 0; i < size; ++i) to.set(i, copy_of(from.get(i)));
  }

  Element copy_of(Element element) {
    if (auto* container = std::get_if<ContainerPtr>(&element)) return copy_of(std::move(*container));
    if (auto* storage = std::get_if<StoragePtr>(&element)) return copy_of(*storage);
    if (auto* tensor = std::get_if<TensorHandle>(&element)) {
      auto made = std::make_shared<Tensor>(**tensor);
      if (made->storage() != nullptr) {
        const Tensor& from = **tensor;
        made->set_storage(copy_of(from.storage_ptr()), from.offset(), from.sizes(), from.strides());
        made->interpret_as(from.dtype());
      }
      return TensorHandle(std::move(made));
    }
    return element;
  }

  ContainerPtr copy_of(ContainerPtr from) {
    const auto known = containers_.find(from.get());
    if (known != containers_.end()) return known->second;
    ContainerPtr made;
    switch (from->kind()) {
      case Container::Kind::hash:
        made = ContainerPtr::adopt(new Hash);
        break;
      case Container::Kind::vec:
        made = ContainerPtr::adopt(new Vec);
        break;
      case Container::Kind::counter:
        made = ContainerPtr::adopt(new AtomicCounter(static_cast<AtomicCounter*>(from.get())->get()));
        break;
    }
    containers_.emplace(from.get(), made);
    if (from->kind() != Container::Kind::counter) waiting_.emplace_back(std::move(from), made);
    return made;
  }

  StoragePtr copy_of(const StoragePtr& from) {
    StoragePtr& made = storages_[from.get()];
    if (!made) made = from->size > 0 ? clone(whole(from)).storage_ptr() : StoragePtr::adopt(Storage::create(from->dtype, 0, from->device));
    return made;
  }

  std::vector<std::pair<ContainerPtr, ContainerPtr>> waiting_;
  std::unordered_map<Container*, ContainerPtr> containers_;
  std::unordered_map<Storage*, StoragePtr> storages_;
};

}  // namespace

ContainerPtr copied_container(Container* container) { return Copier().copy(container); }

}  // namespace mt::lua
