// A run of elements in memory, shared by tensors through an atomic reference count.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/core/account.h"
#include "engine/core/allocator.h"
#include "engine/core/device_id.h"
#include "engine/core/dtype.h"

namespace mt {

using ReleaseFn = void (*)(void* context);

// The fields up to `device` are read by compiled Lua loops (lua/torch/element.lua): keep their places.
struct alignas(64) Storage {
  std::byte* data;
  int64_t size;  // elements
  std::atomic<uint64_t> version;
  std::atomic<int64_t> references;
  size_t capacity;  // bytes that data can hold
  DType dtype;
  DeviceId device;  // where data is; this header is the host's
  bool resizable : 1;
  bool channels_last : 1;            // images with their channels last were laid out here on purpose: image_layout.h
  uint8_t header_class, data_class;  // data_class 0xff: data follows the header in its block
  Account account;                   // whose bytes these are; no_account until somebody claims them
  std::atomic<uint16_t> loans;       // pointers that are out: what data was stays until they are back
  ReleaseFn release_external;        // set for borrowed memory
  void* external_context;            // of release_external; where memory is the storage's own, what was lent before it grew

  // Uninitialised, with one reference. Raises an error when the device is out of memory.
  static Storage* create(DType dtype, int64_t size, DeviceId device = cpu_device);
  // Borrows data, which must stay until release(context) is called, when the last reference goes.
  static Storage* borrow(DType dtype, void* data, int64_t size, ReleaseFn release, void* context, DeviceId device = cpu_device);
  // A storage over the memory that this one has now, and its elements: that memory stays while the new storage lives, though this one may
  // grow and be elsewhere then. For pointers that are held while code runs that may resize this one.
  Storage* lend();

  void resize(int64_t new_size);  // keeps the common prefix; new elements are uninitialised
  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  void touch() { version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

 private:
  struct Former;  // memory that was lent when the storage grew

  void grow(size_t bytes, int64_t new_size);
  void grow_on_device(size_t bytes);
  void take_back() noexcept;
  void free_former() noexcept;
  void destroy() noexcept;
};

// Shared ownership of a storage.
class StoragePtr {
 public:
  StoragePtr() = default;
  static StoragePtr adopt(Storage* storage) {  // takes over the caller's reference
    StoragePtr p;
    p.storage_ = storage;
    return p;
  }
  static StoragePtr share(Storage* storage) {
    if (storage != nullptr) storage->retain();
    return adopt(storage);
  }
  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->retain();
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_ != nullptr) storage_->drop();
  }

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace mt
