// A killed process can't remove files, so a shell waits for its end. The shell reads names from a socket that only the process and its
// forked children hold, until the system closes it. It starts with the first name, and is not a child of the process.
#include "engine/core/temporary_names.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <mutex>

#include "engine/core/descriptor.h"
#include "engine/core/fork.h"

extern char** environ;

namespace mt {
namespace {

constexpr const char* script = R"(
  trap '' HUP INT TERM
  exec 3<&0
  (
    while IFS= read -r line <&3; do
      name=${line#?}
      for other do
        shift
        [ "$other" = "$name" ] || set -- "$@" "$other"
      done
      case $line in +*) set -- "$@" "$name" ;; esac
    done
    rm -f -- "$@"
  ) &
)";

// If it can't start, the files of a killed process stay.
Descriptor start_shell() noexcept {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return {};
  Descriptor own(pair[0]);
  const Descriptor its(pair[1]);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_adddup2(&files, its.get(), 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  const char* words[] = {"sh", "-c", script, "moontorch", nullptr};
  pid_t shell = 0;
  const bool started = posix_spawn(&shell, "/bin/sh", &files, &attributes, const_cast<char**>(words), environ) == 0;
  if (started) waitpid(shell, nullptr, 0);  // the waiting part continues in the background
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return started ? std::move(own) : Descriptor();
#else
  return {};
#endif
}

void tell(char what, const std::string& path) noexcept {
  static ForkSafeMutex mutex;
  static const int shell = start_shell().release();  // never closed before the process ends
  if (shell < 0 || path.find('\n') != std::string::npos) return;
  try {
    const std::string line = what + path + '\n';
    const std::lock_guard<std::mutex> lock(mutex);
    static_cast<void>(!send(shell, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  } catch (const std::exception&) {
  }
}

}  // namespace

void remove_at_end(const std::string& path) noexcept { tell('+', path); }
void forget_at_end(const std::string& path) noexcept { tell('-', path); }

}  // namespace mt
