#include "engine/core/storage.h"

#include <cstring>
#include <memory>
#include <new>

#include "engine/core/budget.h"
#include "engine/core/device.h"
#include "engine/core/fork.h"
#include "engine/core/mutex.h"
#include "engine/core/sanitizer.h"
#include "engine/core/storage_watch.h"

namespace mt {
namespace {

constexpr uint8_t inline_data = 0xff;

[[noreturn, gnu::cold, gnu::noinline]] void refuse(DType dtype, int64_t size) {
  raise(Status::memory, concat("out of memory: a storage of ", size, " elements of ", info(dtype).name, " was asked for"));
}

inline size_t bytes_for(DType dtype, int64_t size) {
  if constexpr (built_dtypes != all_dtypes) {
    if (!built_dtypes.contains(dtype)) refuse_dtype(dtype);
  }
  int64_t bytes;
  if (size < 0 || __builtin_mul_overflow(size, static_cast<int64_t>(size_of(dtype)), &bytes) || bytes > INT64_MAX / 2) [[unlikely]]
    refuse(dtype, size);
  if constexpr (sizeof(size_t) < sizeof bytes) {
    if (bytes > static_cast<int64_t>(SIZE_MAX / 2)) raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for"));
  }
  return static_cast<size_t>(bytes);
}

// Versions of two storages never coincide, so that a saved tensor that was set to another storage does not look unchanged.
uint64_t first_version() {
  static std::atomic<uint64_t> made{1};
  return made.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15 >> 12;  // Weyl's sequence: the values are far apart
}

Storage* make(Block block, DType dtype, int64_t size) {
  auto* storage = new (block.data) Storage;
  storage->data = static_cast<std::byte*>(block.data) + sizeof(Storage);
  storage->size = size;
  storage->version.store(first_version(), std::memory_order_relaxed);
  storage->references.store(1, std::memory_order_relaxed);
  storage->capacity = block_bytes(block.size_class) - sizeof(Storage);
  storage->dtype = dtype;
  storage->device = cpu_device;
  storage->resizable = true;
  storage->channels_last = false;
  storage->has_moved_in = false;
  storage->header_class = block.size_class;
  storage->data_class = inline_data;
  storage->account = no_account;
  storage->loans.store(0, std::memory_order_relaxed);
  storage->release_external = nullptr;
  storage->external_context = nullptr;
  return storage;
}

// A bool with a value other than 0 and 1 is undefined behaviour, so memory of booleans is cleared.
void clear(std::byte* data, size_t bytes, DeviceId device) {
  device == cpu_device ? static_cast<void>(std::memset(data, 0, bytes)) : mt::device(device).clear(data, bytes);
}

Memory allocate_on(DeviceId device, size_t bytes) {
  const Memory memory = mt::device(device).allocator().allocate(bytes);
  if (memory.data == nullptr) raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for on ", device_name(device)));
  return memory;
}

// The header is in the host's memory, the elements are in the device's.
Storage* create_on_device(DType dtype, int64_t size, size_t bytes, DeviceId device) {
  const Memory memory = allocate_on(device, bytes);
  Storage* storage;
  try {
    storage = make(allocate(sizeof(Storage)), dtype, size);
  } catch (...) {
    mt::device(device).allocator().release(memory);
    throw;
  }
  storage->device = device;
  storage->data = static_cast<std::byte*>(memory.data);
  storage->capacity = memory.bytes;
  if (dtype == DType::boolean) clear(storage->data, bytes, device);
  return storage;
}

// With the elements in a block of their own.
Storage* create_watched(StorageWatch& watch, DType dtype, int64_t size, size_t bytes) {
  const Block block = allocate(bytes);
  Storage* storage;
  try {
    storage = make(allocate(sizeof(Storage)), dtype, size);
  } catch (...) {
    release(block);
    throw;
  }
  storage->data = static_cast<std::byte*>(block.data);
  storage->capacity = block_bytes(block.size_class);
  storage->data_class = block.size_class;
  watch.allocated(block.data, bytes, cpu_device);
  return storage;
}

}  // namespace

Storage* Storage::create(DType dtype, int64_t size, DeviceId device) {
  device = settled_device(device);
  const size_t bytes = bytes_for(dtype, size);
  Budget* const budget = device != meta_device ? budget_of_thread() : nullptr;
  StorageWatch* watch = nullptr;
  if (budget != nullptr) [[unlikely]] {
    budget->ask(static_cast<int64_t>(bytes));
    watch = watch_of_thread();
  }
  Storage* storage;
  if (device != cpu_device) {
    storage = create_on_device(dtype, size, bytes, device);
    if (watch != nullptr) watch->allocated(storage->data, bytes, device);
  } else if (watch != nullptr) [[unlikely]] {
    storage = create_watched(*watch, dtype, size, bytes);
    set_usable(storage->data, bytes, storage->capacity);
    if (dtype == DType::boolean) clear(storage->data, bytes, cpu_device);
  } else {
    storage = make(allocate(sizeof(Storage) + bytes), dtype, size);
    set_usable(storage->data, bytes, storage->capacity);
    if (dtype == DType::boolean) clear(storage->data, bytes, cpu_device);
  }
  if (budget != nullptr) [[unlikely]]
    storage->charge(*budget);
  return storage;
}

void Storage::charge(const Budget& budget) {
  account = budget.account;
  *budget.charged += static_cast<int64_t>(capacity);
}

Storage* Storage::borrow(DType dtype, void* data, int64_t size, ReleaseFn release, void* context, DeviceId device) {
  const size_t bytes = bytes_for(dtype, size);
  Storage* storage = make(allocate(sizeof(Storage)), dtype, size);
  storage->data = static_cast<std::byte*>(data);
  storage->capacity = bytes;
  storage->resizable = false;
  storage->device = device;
  storage->release_external = release;
  storage->external_context = context;
  return storage;
}

// Memory of a storage that has grown; lent pointers or other threads may still use it.
struct Storage::Former {
  Held held;
  Former* next;
};

Storage::Held Storage::allocate_held(size_t bytes) const {
  if (device != cpu_device) {
    const Memory memory = allocate_on(device, bytes);
    return {static_cast<std::byte*>(memory.data), memory.bytes, inline_data, false};
  }
  const Block block = allocate(bytes);
  return {static_cast<std::byte*>(block.data), block_bytes(block.size_class), block.size_class, false};
}

void Storage::release_held(const Held& held) const noexcept {
  if (device != cpu_device) {
    note_release(held.data);
    mt::device(device).allocator().release({held.data, held.capacity});
  } else if (held.data_class != inline_data) {
    note_release(held.data);
    mt::release({held.has_moved_in ? held.data - sizeof(Storage) : held.data, held.data_class});
  }
}

void Storage::hold(const Held& held) {
  data = held.data;
  capacity = held.capacity;
  data_class = held.data_class;
  has_moved_in = held.has_moved_in;
}

bool Storage::release_separate_data() noexcept {
  if (data_class == inline_data) return false;
  release_held(held());
  data_class = inline_data;
  has_moved_in = false;
  return true;
}

void Storage::free_former() noexcept {
  if (release_external != nullptr) return;  // borrowed memory does not move
  for (auto* former = static_cast<Former*>(std::exchange(external_context, nullptr)); former != nullptr;) {
    release_held(former->held);
    delete std::exchange(former, former->next);
  }
}

void Storage::take_back() noexcept {
  if (loans.fetch_sub(1, std::memory_order_acq_rel) == 1) free_former();
  drop();
}

Storage* Storage::lend() {
  if ((loans.load(std::memory_order_relaxed) & ~shared_bit) > most_loans) fail("storage", "memory", "too many pointers to it are out");
  const int64_t elements = size;
  Storage* lent = borrow(
      dtype, data, elements, [](void* lender) { static_cast<Storage*>(lender)->take_back(); }, this, device);
  loans.fetch_add(1, std::memory_order_relaxed);
  retain();
  return lent;
}

// Moves the elements to a larger block.
void Storage::grow(size_t bytes) {
  const Held before = held();
  const bool in_header = device == cpu_device && data_class == inline_data, stays = loans.load(std::memory_order_acquire) != 0;
  std::unique_ptr<Former> former(stays && !in_header ? new Former{before, nullptr} : nullptr);
  const Held now = allocate_held(bytes);
  if (StorageWatch* const watch = watch_of_thread()) watch->allocated(now.data, bytes, device);
  const size_t used = static_cast<size_t>(size) * static_cast<size_t>(size_of(dtype));
  if (device == cpu_device) {
    std::memcpy(now.data, before.data, used);
    set_usable(now.data, bytes, now.capacity);
  } else if (used > 0) {
    mt::device(device).move(now.data, before.data, used);
  }
  hold(now);
  if (former) {
    former->next = static_cast<Former*>(external_context);
    external_context = former.release();
  } else if (!in_header) {
    release_held(before);
  } else if (!stays) {  // else the memory in the header's block stays usable
    set_usable(before.data, 0, before.capacity);
  }
}

void Storage::settle_in(const Held& held, DeviceId id) {
  if (account != no_account) give_back(std::exchange(account, no_account), static_cast<int64_t>(capacity));
  hold(held);
  device = id;
}

void Storage::settle(DeviceId id) {
  MT_ASSERT((device == meta_device || device == pending_device) && id != device);
  const size_t bytes = bytes_for(dtype, size);
  const Budget* const budget = budget_of_thread();
  if (budget != nullptr) budget->ask(static_cast<int64_t>(bytes));
  const DeviceId former = std::exchange(device, id);
  Held held{};
  try {
    held = allocate_held(bytes);
  } catch (...) {
    device = former;
    throw;
  }
  settle_in(held, id);
  if (StorageWatch* const watch = watch_of_thread()) watch->allocated(held.data, bytes, id);
  if (budget != nullptr) charge(*budget);
  if (device == cpu_device) set_usable(data, bytes, capacity);
  if (dtype == DType::boolean) clear(data, bytes, device);
}

bool Storage::settle_with(StoragePtr& from) {
  MT_ASSERT(device == meta_device || device == pending_device);
  const bool is_plain = from->device == cpu_device && from->resizable && from->release_external == nullptr &&
                        from->data_class == inline_data && from->loans.load(std::memory_order_acquire) == 0 && from->is_unique();
  if (!is_plain || from->dtype != dtype || from->size != size) return false;
  const Account charged = from->account;
  settle_in({from->data, from->capacity, from->header_class, true}, cpu_device);
  account = charged;
  from.forget();  // its block, with the header, belongs to this storage
  return true;
}

// Sets the size last: a thread that reads the new size then finds data with room for it.
void Storage::change_size(int64_t new_size, bool only_grow) {
  const size_t bytes = bytes_for(dtype, new_size);
  std::unique_lock<ThreadMutex> lock;
  if (between_threads()) {
    static ForkSafeMutex between;  // one lock for all storages: it is rare that two threads resize
    lock = std::unique_lock<ThreadMutex>(between);
  }
  const int64_t elements = size;
  if (only_grow && new_size <= elements) return;
  if (bytes > capacity) {
    if (!resizable)
      fail<Status::shape>("resize", "storage", elements, " elements can't grow to ", new_size,
                          ": it is a view, has one, or holds memory that is not torch's");
    const size_t before = capacity;
    Budget* const budget = budget_of_thread();
    if (budget != nullptr && budget->account == account) [[unlikely]]
      budget->ask(static_cast<int64_t>(bytes - before));
    grow(bytes);
    if (account != no_account) give_back(account, static_cast<int64_t>(before) - static_cast<int64_t>(capacity));
  } else if (new_size > elements && device == cpu_device) {
    set_usable(data, bytes, bytes);
  }
  if (dtype == DType::boolean && new_size > elements) clear(data + elements, static_cast<size_t>(new_size - elements), device);
  size = new_size;
  touch();
}

void Storage::destroy() noexcept {
  if (account != no_account) give_back(account, static_cast<int64_t>(capacity));
  if (release_external != nullptr) {
    release_external(external_context);
  } else {
    if (external_context != nullptr) free_former();
    if (data_class != inline_data || device != cpu_device) release_held(held());
  }
  mt::release({this, header_class});
}

}  // namespace mt
