#include "cuda/fused/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "engine/core/crc32c.h"
#include "engine/core/descriptor.h"
#include "engine/core/environment.h"
#include "engine/core/kernel.h"
#include "engine/core/replaced_file.h"

namespace mt::cuda {
namespace {

namespace fs = std::filesystem;

// The beginning of a file. Then follow the key and the image.
struct Header {
  char magic[8] = {'M', 'T', 'K', 'E', 'R', 'N', 'E', 'L'};
  uint32_t version = 1;
  uint32_t checksum = 0;  // CRC-32C of key and image
  uint64_t key_bytes = 0, image_bytes = 0;
};
constexpr std::string_view suffix = ".kernel";

uint32_t checksum(std::string_view key, std::span<const std::byte> image) { return crc32c(image, crc32c(std::as_bytes(std::span(key)))); }

// The bytes of a regular file of this user.
std::optional<std::vector<std::byte>> contents(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info = {};
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) return std::nullopt;
  if (info.st_size > KernelFiles::most_bytes) return std::nullopt;
  std::vector<std::byte> bytes(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t some = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (some <= 0) return std::nullopt;
    done += static_cast<size_t>(some);
  }
  futimens(file.get(), nullptr);  // it was used now
  return bytes;
}

}  // namespace

KernelFiles KernelFiles::of_user() {
  if (const char* const own = own_variable("MOONTORCH_KERNELS"); own != nullptr && *own != '\0')
    return KernelFiles(std::strcmp(own, "off") == 0 ? "" : own);
  if (const char* const caches = std::getenv("XDG_CACHE_HOME"); caches != nullptr && *caches == '/')
    return KernelFiles(std::string(caches) + "/moontorch/kernels");
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    return KernelFiles(std::string(home) + "/.cache/moontorch/kernels");
  return KernelFiles("");
}

std::string KernelFiles::path_of(std::string_view key) const {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(mt::detail::hashed(0xcbf29ce484222325, key)));
  return folder_ + "/" + name + std::string(suffix);
}

std::optional<std::vector<std::byte>> KernelFiles::read(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const auto bytes = contents(path_of(key));
  const Header expected;
  Header header;
  if (!bytes || bytes->size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes->data(), sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 || header.version != expected.version) return std::nullopt;
  if (header.key_bytes != key.size() || header.image_bytes != bytes->size() - sizeof header - key.size()) return std::nullopt;
  const std::span<const std::byte> image = std::span(*bytes).subspan(sizeof header + key.size());
  if (std::memcmp(bytes->data() + sizeof header, key.data(), key.size()) != 0 || checksum(key, image) != header.checksum)
    return std::nullopt;
  return std::vector<std::byte>(image.begin(), image.end());
}

void KernelFiles::write(std::string_view key, std::span<const std::byte> image) const {
  if (folder_.empty()) return;
  try {
    fs::create_directories(folder_);
    Header header;
    header.checksum = checksum(key, image);
    header.key_bytes = key.size();
    header.image_bytes = image.size();
    make_room(static_cast<int64_t>(sizeof header + key.size() + image.size()));
    ReplacedFile file("fused", path_of(key));
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(std::as_bytes(std::span(key)));
    file.write(image);
    file.commit();
  } catch (...) {  // the kernel is compiled again by the next process
  }
}

void KernelFiles::make_room(int64_t bytes) const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    int64_t bytes;
  };
  std::vector<Entry> all;
  for (const auto& file : fs::directory_iterator(folder_)) {
    if (file.path().extension() == suffix && file.is_regular_file())
      all.push_back({file.path(), file.last_write_time(), static_cast<int64_t>(file.file_size())});
  }
  for (const Entry& entry : all) bytes += entry.bytes;
  std::ranges::sort(all, {}, &Entry::used);
  for (const Entry& entry : all) {
    if (bytes <= most_) return;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) bytes -= entry.bytes;
  }
}

}  // namespace mt::cuda
