#include "packages/distributed/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace mt::distributed {
namespace {

template <size_t n> void copy_text(char (&to)[n], const char* from) { std::snprintf(to, n, "%s", from); }

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Board::Board(const char* path, int rank, int size) : size_(size) {
  const size_t bytes = static_cast<size_t>(size) * sizeof(Entry);
  const int file = path != nullptr ? open(path, O_RDWR | O_CLOEXEC) : -1;
  struct stat status;
  if (file >= 0 && fstat(file, &status) == 0 && static_cast<size_t>(status.st_size) == bytes) {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) {
      entries_ = static_cast<Entry*>(mapped);
      entry_ = entries_ + rank;
    }
  }
  if (file >= 0) close(file);
  entry_->pid = getpid();
  leave();
}

Board::~Board() {
  if (entries_ != nullptr) munmap(entries_, static_cast<size_t>(size_) * sizeof(Entry));
}

void Board::enter(const char* call, const char* line) {
  copy_text(entry_->call, call);
  copy_text(entry_->line, line);
  entry_->waits[0] = 0;
  ++entry_->calls;
  entry_->since = now();
  entry_->state = Entry::in_call;
}

void Board::leave() {
  entry_->since = now();
  entry_->state = Entry::computing;
}

void Board::waits(const std::string& ranks) { copy_text(entry_->waits, ranks.c_str()); }

void Board::finish() {
  entry_->since = now();
  entry_->state = Entry::finished;
}

std::string Board::about(int rank) const {
  if (entries_ == nullptr) return "";
  Entry entry = entries_[rank];
  entry.call[sizeof entry.call - 1] = entry.line[sizeof entry.line - 1] = 0;
  const std::string call = entry.calls == 0 ? "" : std::string(entry.call) + " at " + entry.line;
  switch (entry.state) {
    case Entry::absent:
      return "which has not started";
    case Entry::in_call:
      return "which is in " + call;
    case Entry::finished:
      return "which has finished";
    default:
      return call.empty() ? "which has made no call" : "whose last call was " + call;
  }
}

}  // namespace mt::distributed
