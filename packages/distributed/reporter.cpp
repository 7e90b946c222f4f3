#include "packages/distributed/reporter.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "packages/distributed/board.h"
#include "packages/distributed/mpi_library.h"

namespace mt::distributed {
namespace {

constexpr char separator = 1;

}  // namespace

Reporter::Reporter(const Entry& entry) : entry_(entry) {
  std::thread([this] { work(); }).detach();
}

void Reporter::send() {
  const std::lock_guard lock(mutex_);
  Entry entry = entry_;
  std::string line;
  line = separator + std::string("moontorch");
  for (const std::string& number :
       {std::to_string(entry.state), std::to_string(entry.pid), std::to_string(entry.calls), std::to_string(now() - entry.since)}) {
    line += separator + number;
  }
  const auto add = [&](const auto& text) { line += separator + std::string(text, strnlen(text, sizeof text)); };
  add(entry.call);
  add(entry.line);
  add(entry.waits);
  add(entry.pending);
  add(entry.problem);
  add(entry.machine);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  // One call: what the program writes at the same time comes before or after it.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void Reporter::work() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the program's threads handle signals
  ignore_leaks_of_this_thread();
  Entry sent{};
  while (true) {
    if (std::memcmp(&sent, &entry_, sizeof sent) != 0) {
      sent = entry_;
      send();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace mt::distributed
