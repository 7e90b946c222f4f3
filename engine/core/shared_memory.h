// Memory that processes share. It has no name: the system frees it when the last process that maps it ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>

#include "engine/core/storage.h"

namespace mt {

// Shared memory as mapped by this process, at one address however often it was received. Storages over it keep it mapped. Its descriptor
// passes it to other processes.
class SharedMemory {
 public:
  static std::shared_ptr<SharedMemory> create(size_t bytes);  // filled with zeros; raises an error of Status::memory
  // Maps memory of another process by a descriptor, which the caller keeps.
  static std::shared_ptr<SharedMemory> open(int descriptor);
  // The shared memory that contains an address; null if none does.
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
  ino_t file_;  // inode: identifies descriptors of the same memory
};

// A storage over `size` elements from a byte offset, with one reference.
Storage* storage_in(const std::shared_ptr<SharedMemory>& memory, size_t first_byte, DType dtype, int64_t size);

// Whether the elements of a storage are in shared memory.
bool is_shared(const Storage& storage);

// Moves the elements of storages into one new shared memory. Holders of the storages see no difference, except that they can't be resized
// any more. Ignores storages that are shared already or empty. Raises an error and moves nothing if one of them can't be moved: it is on
// another device, is or has a view, holds foreign memory, or is used by other threads.
void share(std::span<Storage* const> storages);

}  // namespace mt
