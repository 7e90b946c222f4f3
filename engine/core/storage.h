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

// A field that one thread may set while others read: who reads a value sees what was written before it was set.
template <class T> class Published {
 public:
  Published& operator=(T value) {
    value_.store(value, std::memory_order_release);
    return *this;
  }
  operator T() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<T> value_;
};

// The fields up to `device` are read by compiled Lua loops (lua/torch/index/element.lua): keep their places.
struct alignas(64) Storage {
  Published<std::byte*> data;
  Published<int64_t> size;  // elements; who needs both reads it first: it never passes what data can hold
  std::atomic<uint64_t> version;
  std::atomic<int64_t> references;
  Published<size_t> capacity;  // bytes that data can hold
  DType dtype;
  DeviceId device;  // where data is; this header is the host's
  bool resizable : 1;
  bool channels_last : 1;            // images with their channels last were laid out here on purpose: image_layout.h
  uint8_t header_class, data_class;  // data_class 0xff: data follows the header in its block
  Account account;                   // whose bytes these are; no_account until somebody claims them
  std::atomic<uint16_t> loans;       // pointers that are out, and shared_bit: what data was stays until they are back
  ReleaseFn release_external;        // set for borrowed memory
  void* external_context;            // of release_external; where memory is the storage's own, what was lent before it grew

  // Uninitialised, with one reference. Raises an error when the device is out of memory.
  static Storage* create(DType dtype, int64_t size, DeviceId device = cpu_device);
  // Borrows data, which must stay until release(context) is called, when the last reference goes.
  static Storage* borrow(DType dtype, void* data, int64_t size, ReleaseFn release, void* context, DeviceId device = cpu_device);
  // A storage over the memory that this one has now, and its elements: that memory stays while the new storage lives, though this one may
  // grow and be elsewhere then. For pointers that are held while code runs that may resize this one.
  Storage* lend();

  template <class T> T* elements() const { return reinterpret_cast<T*>(static_cast<std::byte*>(data)); }

  // Gives a storage on meta memory on a device, uninitialised: see settle() in pending.h.
  void settle(DeviceId id);

  void resize(int64_t new_size) { change_size(new_size, false); }  // keeps the common prefix; new elements are uninitialised
  void grow_to(int64_t least) {                                    // the same, unless it has so many elements
    if (least > size) change_size(least, true);
  }
  // Other threads may hold it from now on: what it stops using as it grows stays for who reads there, and no touch is lost. Torch7's
  // containers and handles hand storages over without a word; where one thread has all references, none of this is paid for.
  void share_between_threads() {
    if (!between_threads()) loans.fetch_or(shared_bit, std::memory_order_relaxed);
  }
  bool between_threads() const { return (loans.load(std::memory_order_relaxed) & shared_bit) != 0; }
  // Whether the caller's is the only reference: what other threads did with theirs is done, and seen.
  bool is_unique() const { return references.load(std::memory_order_acquire) == 1; }
  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  void touch() {
    if (between_threads()) [[unlikely]]
      version.fetch_add(1, std::memory_order_relaxed);
    else
      version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  struct Held {  // what data, capacity and data_class say
    std::byte* data;
    size_t capacity;
    uint8_t data_class;
  };
  struct Former;  // memory that was lent or shared when the storage grew
  static constexpr uint16_t shared_bit = 0x8000, most_loans = 0x7f00;

  void change_size(int64_t new_size, bool only_grow);
  Held allocate_held(size_t bytes) const;  // on the storage's device
  void release_held(const Held& held) const noexcept;
  void grow(size_t bytes);
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

  void forget() noexcept { storage_ = nullptr; }  // without giving the reference back

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace mt
