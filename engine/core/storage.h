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

struct Budget;
class StoragePtr;
using ReleaseFn = void (*)(void* context);

// A field that one thread may set while others read. A reader of a value also sees all earlier writes of the thread that set it.
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

// The fields up to `device` are read by compiled Lua loops (lua/torch/index/element.lua): keep their offsets.
struct alignas(64) Storage {
  Published<std::byte*> data;
  Published<int64_t> size;  // in elements. Read it before data: data always has room for size elements.
  std::atomic<uint64_t> version;
  std::atomic<int64_t> references;
  Published<size_t> capacity;  // bytes allocated at data
  DType dtype;
  DeviceId device;  // of data; this header is in the host's memory
  bool resizable : 1;
  bool channels_last : 1;            // an op laid out channels-last images here: image_layout.h
  bool has_moved_in : 1;             // data follows the header of a former storage, and data_class is the class of this block
  uint8_t header_class, data_class;  // data_class 0xff: data follows the header in its block
  Account account;                   // that is charged for the bytes; no_account until one is
  std::atomic<uint16_t> loans;       // number of lent pointers, and shared_bit; while not 0, grow() frees no memory
  ReleaseFn release_external;        // set for borrowed memory
  void* external_context;            // of release_external; for owned memory a list of Former

  // Uninitialised, with one reference. Raises an error if the device is out of memory.
  static Storage* create(DType dtype, int64_t size, DeviceId device = cpu_device);
  // Borrows data, which must stay valid until the last reference is dropped; then release(context) is called.
  static Storage* borrow(DType dtype, void* data, int64_t size, ReleaseFn release, void* context, DeviceId device = cpu_device);
  // A storage over the present memory and elements of this one. The memory stays valid while the new storage lives, even if this one grows
  // and moves. For pointers that are held while other code may resize this storage.
  Storage* lend();

  template <class T> T* elements() const { return reinterpret_cast<T*>(static_cast<std::byte*>(data)); }

  // Allocates uninitialised memory on a device for a storage on meta or a pending one: see settle() in pending.h.
  void settle(DeviceId id);
  // The same with the memory and the elements of a storage on the CPU, which ends. Returns false, and does nothing, if that one has another
  // dtype, another number of elements, other holders, or memory that can't be moved.
  bool settle_with(StoragePtr& from);

  // Releases the memory of the data unless it follows the header in its block. The caller then sets other data.
  bool release_separate_data() noexcept;

  void resize(int64_t new_size) { change_size(new_size, false); }  // keeps the common prefix; new elements are uninitialised
  void grow_to(int64_t least) {                                    // the same, unless it has enough elements
    if (least > size) change_size(least, true);
  }
  // Call it before other threads can hold the storage: from then on memory that it outgrows stays valid for readers, and touch() is atomic.
  // Torch7's containers and handles pass storages between threads implicitly. Storages of a single thread avoid these costs.
  void share_between_threads() {
    if (!between_threads()) loans.fetch_or(shared_bit, std::memory_order_relaxed);
  }
  bool between_threads() const { return (loans.load(std::memory_order_relaxed) & shared_bit) != 0; }
  // Whether the caller has the only reference; then it also sees all writes of the former holders.
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
  struct Held {  // the fields data, capacity, data_class and has_moved_in
    std::byte* data;
    size_t capacity;
    uint8_t data_class;
    bool has_moved_in;
  };
  struct Former;  // memory that was lent or shared when the storage grew
  static constexpr uint16_t shared_bit = 0x8000, most_loans = 0x7f00;

  void change_size(int64_t new_size, bool only_grow);
  Held held() const { return {data, capacity, data_class, has_moved_in}; }
  void hold(const Held& held);
  void charge(const Budget& budget);
  void settle_in(const Held& held, DeviceId id);
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

  void forget() noexcept { storage_ = nullptr; }  // without dropping the reference

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace mt
