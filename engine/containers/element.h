// Elements of containers: numbers, booleans, strings, tensors, storages and containers; and reference counting of containers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "engine/core/mutex.h"
#include "engine/core/tensor.h"

namespace mt {

// Reference-counted across threads. Cycles of containers are never freed.
class Container {
 public:
  enum class Kind : uint8_t { hash, vec, counter };

  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  Kind kind() const { return kind_; }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept;

 protected:
  explicit Container(Kind kind) : kind_(kind) {}
  virtual ~Container() = default;

  mutable ThreadMutex mutex_;  // held while the contents are read or changed, but not while elements are freed

 private:
  std::atomic<int64_t> references_{1};
  Container* next_dead_ = nullptr;
  const Kind kind_;
};

template <class T> class ContainerRef {
 public:
  ContainerRef() = default;
  static ContainerRef adopt(T* container) {  // takes over the caller's reference
    ContainerRef ref;
    ref.container_ = container;
    return ref;
  }
  static ContainerRef share(T* container) {
    container->retain();
    return adopt(container);
  }
  ContainerRef(const ContainerRef& other) : container_(other.container_) {
    if (container_ != nullptr) container_->retain();
  }
  ContainerRef(ContainerRef&& other) noexcept : container_(std::exchange(other.container_, nullptr)) {}
  ContainerRef& operator=(ContainerRef other) noexcept {
    std::swap(container_, other.container_);
    return *this;
  }
  ~ContainerRef() {
    if (container_ != nullptr) container_->drop();
  }
  T* get() const { return container_; }
  T* operator->() const { return container_; }

 private:
  T* container_ = nullptr;
};

using ContainerPtr = ContainerRef<Container>;
using TensorHandle = std::shared_ptr<const Tensor>;  // a pointer, because a tensor has 160 bytes and most elements are none

// monostate represents nil. Integers within 2^53 are doubles, so that equal numbers are equal elements.
using Element = std::variant<std::monostate, bool, double, int64_t, std::string, TensorHandle, StoragePtr, ContainerPtr>;

inline bool is_nil(const Element& e) { return e.index() == 0; }

}  // namespace mt
