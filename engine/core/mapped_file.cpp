#include "engine/core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/core/descriptor.h"
#include "engine/core/error.h"

namespace mt {

std::shared_ptr<const MappedFile> MappedFile::open(std::string_view function, const std::string& path) {
  const auto refuse = [&] { fail<Status::file>(function, path, std::strerror(errno), ", expected a file that can be read"); };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe is refused, and not waited for
  struct stat found = {};
  if (!file || fstat(file.get(), &found) != 0) refuse();
  if (!S_ISREG(found.st_mode)) fail<Status::file>(function, path, "something else, expected a regular file");
  const auto size = static_cast<size_t>(found.st_size);
  if (std::cmp_not_equal(size, found.st_size))
    fail<Status::file>(function, path, found.st_size, " bytes, which is more than this processor can address");
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (data == MAP_FAILED) refuse();
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

void MappedFile::release_pages() const {
  if (data_ != nullptr) madvise(data_, size_, MADV_DONTNEED);
}

StoragePtr MappedFile::storage(const std::shared_ptr<const MappedFile>& file, size_t first_byte, DType dtype, int64_t size) {
  auto held = std::make_unique<std::shared_ptr<const MappedFile>>(file);
  const auto release = [](void* context) { delete static_cast<std::shared_ptr<const MappedFile>*>(context); };
  StoragePtr made = StoragePtr::adopt(Storage::borrow(dtype, file->data_ + first_byte, size, release, held.get()));
  held.release();
  return made;
}

}  // namespace mt
