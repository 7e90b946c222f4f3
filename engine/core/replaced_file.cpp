#include "engine/core/replaced_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "engine/core/error.h"

namespace mt {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

// The file that a path leads to through symbolic links, even if it doesn't exist yet; errno is set and the result empty if they don't end.
std::string followed(std::string path) {
  constexpr int most_links = 40;  // Linux's limit
  for (int i = 0; i < most_links; ++i) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), std::free);
    if (real != nullptr) return real.get();
    char to[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), to, sizeof to);
    if (length < 0) return path;
    const std::string link(to, static_cast<size_t>(length));
    path = link.starts_with('/') ? link : folder_of(path) + link;
  }
  errno = ELOOP;
  return {};
}

}  // namespace

ReplacedFile::ReplacedFile(std::string_view function, const std::string& path) : function_(function), path_(path), target_(followed(path)) {
  struct stat old = {};
  if (target_.empty()) refuse();
  const bool exists = stat(target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = Descriptor(open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_) refuse();
    return;
  }
  open_temporary();
  if (!exists || fchmod(file_.get(), old.st_mode & 07777) == 0) return;
  const int why = errno;
  unlink(temporary_.c_str());  // a constructor that fails has no destructor
  errno = why;
  refuse();
}

void ReplacedFile::open_temporary() {
  static std::atomic<unsigned> count{0};
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries && !file_; ++i) {
    temporary_ = concat(folder_of(target_), ".moontorch-save-", int64_t{getpid()}, "-", int64_t{++count}, ".tmp");
    file_ = Descriptor(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_ && errno != EEXIST) break;
  }
  if (file_) return;
  temporary_.clear();
  refuse();
}

ReplacedFile::~ReplacedFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void ReplacedFile::refuse() const { fail<Status::file>(function_, path_, std::strerror(errno), ", expected a file that can be written"); }

void ReplacedFile::write(std::span<const std::byte> bytes) {
  constexpr size_t most_at_once = size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), std::min(bytes.size(), most_at_once));
    if (written < 0 && errno != EINTR) refuse();
    if (written > 0) bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void ReplacedFile::commit() {
  if (temporary_.empty()) return;
  if (fsync(file_.get()) != 0 || std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse();
  temporary_.clear();
  const Descriptor folder(open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) (void)fsync(folder.get());  // so that the new name survives a power failure; some file systems can't
}

}  // namespace mt
