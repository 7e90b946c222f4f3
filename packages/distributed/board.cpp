#include "packages/distributed/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mt::distributed {
namespace {

template <size_t n> void copy_text(char (&to)[n], const char* from) { std::snprintf(to, n, "%s", from); }

// What the system says of a process, in words; empty if it runs.
const char* process_state(const Entry& entry) {
  if (entry.pid == 0 || entry.machine[0] != 0) return "";
  char text[512];
  std::snprintf(text, sizeof text, "/proc/%d/stat", entry.pid);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return " and whose process has ended";
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  text[n > 0 ? n : 0] = 0;
  const char* const name_end = std::strrchr(text, ')');
  if (name_end == nullptr || name_end[1] == 0) return "";
  switch (name_end[2]) {
    case 'T':
    case 't':
      return " and whose process is stopped";
    case 'Z':
    case 'X':
      return " and whose process has ended";
    default:
      return "";
  }
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Board::Board(const char* path, int rank, int size) : rank_(rank), size_(size) {
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
  leave("");
  if (path == nullptr || entries_ != nullptr) return;
  gethostname(own_.machine, sizeof own_.machine - 1);
  reporter_ = std::make_unique<Reporter>(own_);
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

void Board::leave(const std::string& problem) {
  copy_text(entry_->problem, problem.c_str());
  entry_->since = now();
  entry_->state = Entry::computing;
  if (reporter_ != nullptr && !problem.empty()) reporter_->send();
}

void Board::waits(const std::string& ranks) { copy_text(entry_->waits, ranks.c_str()); }

void Board::pending(const std::string& call) { copy_text(entry_->pending, call.c_str()); }

void Board::finish() {
  entry_->since = now();
  entry_->state = Entry::finished;
  if (reporter_ != nullptr) reporter_->send();
}

bool Board::has_finished(int rank, double seconds) const {
  return entries_ != nullptr && entries_[rank].state == Entry::finished && now() - entries_[rank].since > seconds;
}

bool Board::is_lost(int rank) const { return entries_ != nullptr && *process_state(entries_[rank]) != 0; }

std::vector<int> Board::elsewhere() const {
  std::vector<int> ranks;
  for (int rank = 0; entries_ != nullptr && rank < size_; ++rank) {
    const Entry& entry = entries_[rank];
    if (entry.state != Entry::in_call || std::strncmp(entry.call, entry_->call, sizeof entry.call) != 0 || is_lost(rank))
      ranks.push_back(rank);
  }
  return ranks;
}

std::string Board::about(int rank) const {
  std::string text;
  std::vector<int> path{rank_};
  if (entries_ == nullptr || (entries_[rank].machine[0] != 0 && entries_[rank].waits[0] == 0)) return text;
  follow(rank, path, text);
  return text;
}

// Describes a rank, the one that it waits for, and so on, to the end or to a rank of the path.
void Board::follow(int rank, std::vector<int>& path, std::string& text) const {
  constexpr size_t longest = 5;  // ranks of a path
  Entry entry = entries_[rank];
  for (char* end : {entry.call + sizeof entry.call, entry.line + sizeof entry.line, entry.waits + sizeof entry.waits}) end[-1] = 0;
  const std::string call = std::string(entry.call) + " at " + entry.line;
  const char* const process = process_state(entry);
  path.push_back(rank);
  switch (entry.state) {
    case Entry::absent:
      text += "which has not called init";
      break;
    case Entry::finished:
      text += "which has finished";
      return;
    case Entry::in_call:
      text += "which is in " + call;
      if (entry.waits[0] != 0 && *process == 0) {
        const int next = std::atoi(entry.waits);  // the first of the list
        text += " and waits for rank " + std::string(entry.waits);
        if (next >= size_ || path.size() >= longest || std::find(path.begin(), path.end(), next) != path.end()) return;
        text += ", ";
        return follow(next, path, text);
      }
      break;
    default:
      text += entry.calls == 0 ? "which has made no call" : "whose last call was " + call;
  }
  text += process;
}

}  // namespace mt::distributed
