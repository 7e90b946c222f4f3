#include "engine/core/temporary_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "engine/core/error.h"
#include "engine/core/fork.h"

namespace mt {
namespace {

// A forked child uses its parent's folder, which the process that created it removes.
struct Folder {
  std::string path;
  pid_t owner = 0;
};

struct Folders {
  Folder until_exit, kept;
  uint64_t last = 0;
};

ForkSafeMutex& mutex() {
  static auto* const mutex = new ForkSafeMutex;  // never destroyed: exit() may run while it is in use
  return *mutex;
}

Folders& folders() {
  static auto* const folders = new Folders;
  return *folders;
}

bool is_there(const Folder& folder) {
  struct stat about;
  return !folder.path.empty() && lstat(folder.path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

void make(Folder& folder) {
  const char* const wish = std::getenv("TMPDIR");
  const std::string parent = wish != nullptr && wish[0] == '/' ? wish : "/tmp";
  std::string path = parent + "/moontorch-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) fail<Status::file>("temporary file", "folder", parent, ": ", std::strerror(errno));
  folder = {path, getpid()};
}

}  // namespace

std::string temporary_name(Temporary lifetime, const std::string& ending) {
  const std::lock_guard lock(mutex());
  Folder& folder = lifetime == Temporary::kept ? folders().kept : folders().until_exit;
  if (!is_there(folder)) {
    make(folder);
    static const bool registered = std::atexit(remove_temporary_files) == 0;
    static_cast<void>(registered);
  }
  return folder.path + '/' + std::to_string(getpid()) + '-' + std::to_string(++folders().last) + ending;
}

void remove_temporary_files() noexcept {
  Folder& folder = folders().until_exit;
  if (folder.path.empty() || folder.owner != getpid()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder.path, ignored);
  folder.path.clear();
}

}  // namespace mt
