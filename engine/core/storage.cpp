#include "engine/core/storage.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "engine/core/device.h"
#include "engine/core/sanitizer.h"

namespace mt {
namespace {

constexpr uint8_t inline_data = 0xff;

size_t bytes_for(DType dtype, int64_t size) {
  int64_t bytes;
  if (size < 0 || __builtin_mul_overflow(size, static_cast<int64_t>(size_of(dtype)), &bytes) || bytes > INT64_MAX / 2) {
    raise(Status::memory, concat("out of memory: a storage of ", size, " elements of ", info(dtype).name, " was asked for"));
  }
  return static_cast<size_t>(bytes);
}

// Versions of two storages never meet, so that a tensor that was set to another one can't pass for what it was.
uint64_t first_version() {
  static std::atomic<uint64_t> made{1};
  return made.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15 >> 12;  // Weyl's sequence: far from each other for long
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
  storage->header_class = block.size_class;
  storage->data_class = inline_data;
  storage->account = no_account;
  storage->loans.store(0, std::memory_order_relaxed);
  storage->release_external = nullptr;
  storage->external_context = nullptr;
  return storage;
}

// bool elements of another value than 0 and 1 are undefined.
void clear(std::byte* data, size_t bytes, DeviceId device) {
  device == cpu_device ? static_cast<void>(std::memset(data, 0, bytes)) : mt::device(device).clear(data, bytes);
}

Memory allocate_on(DeviceId device, size_t bytes) {
  const Memory memory = mt::device(device).allocator().allocate(bytes);
  if (memory.data == nullptr) raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for on ", device_name(device)));
  return memory;
}

// The header is the host's, the elements are the device's.
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

}  // namespace

Storage* Storage::create(DType dtype, int64_t size, DeviceId device) {
  const size_t bytes = bytes_for(dtype, size);
  if (device != cpu_device) return create_on_device(dtype, size, bytes, device);
  Storage* storage = make(allocate(sizeof(Storage) + bytes), dtype, size);
  set_usable(storage->data, bytes, storage->capacity);
  if (dtype == DType::boolean) clear(storage->data, bytes, cpu_device);
  return storage;
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

struct Storage::Former {
  Block block;
  Former* next;
};

void Storage::free_former() noexcept {
  if (release_external != nullptr) return;  // borrowed memory does not move
  for (auto* former = static_cast<Former*>(std::exchange(external_context, nullptr)); former != nullptr;) {
    mt::release(former->block);
    delete std::exchange(former, former->next);
  }
}

void Storage::take_back() noexcept {
  if (loans.fetch_sub(1, std::memory_order_acq_rel) == 1) free_former();
  drop();
}

Storage* Storage::lend() {
  if (loans.load(std::memory_order_relaxed) > UINT16_MAX / 2) fail("storage", "memory", "too many pointers to it are out");
  Storage* lent = borrow(
      dtype, data, size, [](void* lender) { static_cast<Storage*>(lender)->take_back(); }, this, device);
  loans.fetch_add(1, std::memory_order_relaxed);
  retain();
  return lent;
}

// More memory on the host, with what was there.
void Storage::grow(size_t bytes, int64_t new_size) {
  const bool lent = loans.load(std::memory_order_acquire) != 0;
  std::unique_ptr<Former> former(lent && data_class != inline_data ? new Former{{data, data_class}, nullptr} : nullptr);
  const Block block = allocate(bytes);
  std::memcpy(block.data, data, static_cast<size_t>(std::min(size, new_size)) * static_cast<size_t>(size_of(dtype)));
  if (former) {
    former->next = static_cast<Former*>(external_context);
    external_context = former.release();
  } else if (data_class != inline_data) {
    mt::release({data, data_class});
  } else if (!lent) {  // else it stays in the header's block as it is
    set_usable(data, 0, capacity);
  }
  data = static_cast<std::byte*>(block.data);
  data_class = block.size_class;
  capacity = block_bytes(block.size_class);
  set_usable(data, bytes, capacity);
}

void Storage::grow_on_device(size_t bytes) {
  Device& there = mt::device(device);
  const Memory memory = allocate_on(device, bytes);
  if (capacity > 0) there.move(memory.data, data, capacity);
  there.allocator().release({data, capacity});
  data = static_cast<std::byte*>(memory.data);
  capacity = memory.bytes;
}

void Storage::resize(int64_t new_size) {
  const size_t bytes = bytes_for(dtype, new_size);
  if (bytes > capacity) {
    if (!resizable)
      fail("resize", "storage", size, " elements can't grow to ", new_size, ": it is a view, has one, or holds memory that is not torch's");
    const size_t before = capacity;
    device == cpu_device ? grow(bytes, new_size) : grow_on_device(bytes);
    if (account != no_account) give_back(account, static_cast<int64_t>(before) - static_cast<int64_t>(capacity));
  } else if (new_size > size && device == cpu_device) {
    set_usable(data, bytes, bytes);
  }
  if (dtype == DType::boolean && new_size > size) clear(data + size, static_cast<size_t>(new_size - size), device);
  size = new_size;
  touch();
}

void Storage::destroy() noexcept {
  if (account != no_account) give_back(account, static_cast<int64_t>(capacity));
  if (release_external != nullptr)
    release_external(external_context);
  else if (device != cpu_device)
    mt::device(device).allocator().release({data, capacity});
  if (data_class != inline_data) mt::release({data, data_class});
  mt::release({this, header_class});
}

}  // namespace mt
