// Memory that processes share. It has no name: the system frees it with the last process that has it, however that one ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>

#include "engine/core/storage.h"

namespace mt {

// Shared memory as this process sees it: at one address, wherever it came from. Storages over it hold it, and with it a descriptor, by
// which it goes to other processes.
class SharedMemory {
 public:
  static std::shared_ptr<SharedMemory> create(size_t bytes);  // zeros; raises an error of Status::memory
  // Another process's, which came as a descriptor. That stays the caller's.
  static std::shared_ptr<SharedMemory> open(int descriptor);
  // The one that holds an address; null where there is none.
  static std::shared_ptr<SharedMemory> at(const void* address);

  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  SharedMemory(int descriptor, std::byte* data, size_t bytes, ino_t file)
      : descriptor_(descriptor), data_(data), bytes_(bytes), file_(file) {}
  static std::shared_ptr<SharedMemory> map(int descriptor, size_t bytes, ino_t file);

  int descriptor_;
  std::byte* data_;
  size_t bytes_;
  ino_t file_;  // its number, which tells that two descriptors are of one memory
};

// A storage over `size` elements from a byte on, with one reference.
Storage* storage_in(const std::shared_ptr<SharedMemory>& memory, size_t first_byte, DType dtype, int64_t size);

// Whether a storage's elements are in shared memory.
bool is_shared(const Storage& storage);

// Moves what storages hold into one new shared memory. They stay what they are, to all who have them, but can't be resized any more. What
// is shared already, or has no elements, is passed over. Raises an error, and moves nothing, if one can't be moved: it is on a device, is a
// view or has one, holds foreign memory, or other threads have it.
void share(std::span<Storage* const> storages);

}  // namespace mt
