// A file in memory: its bytes are read when they are used, and all processes that map the file share them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/storage.h"

namespace mt {

class MappedFile {
 public:
  // Maps a regular file. Raises an error in the name of a function.
  static std::shared_ptr<const MappedFile> open(std::string_view function, const std::string& path);
  MappedFile(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  // Returns the memory of all pages to the system; the next use reads them again. No storage may have been written to.
  void release_pages() const;

  // A storage of `size` elements from a byte on, which keeps the file mapped. The caller has checked that they are in the file, and
  // aligned. A write copies the page: the file never changes.
  static StoragePtr storage(const std::shared_ptr<const MappedFile>& file, size_t first_byte, DType dtype, int64_t size);

 private:
  MappedFile(std::byte* data, size_t size) : data_(data), size_(size) {}
  std::byte* data_;
  size_t size_;
};

}  // namespace mt
