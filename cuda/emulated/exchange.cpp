#include "cuda/emulated/exchange.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>

namespace mt::cuda::emulated {
namespace {

void pause(int looks) {
  if (looks < 50) return;
  const timespec nap{0, looks < 1000 ? 20000 : 500000};
  nanosleep(&nap, nullptr);
}

}  // namespace

std::string Exchange::new_name() {
  std::random_device random;
  return "/moontorch-" + std::to_string(getpid()) + "-" + std::to_string(random()) + "-" + std::to_string(random());
}

Exchange::Exchange(const std::string& name, int ranks, int rank, int device) : ranks_(ranks), rank_(rank) {
  const size_t n = static_cast<size_t>(ranks), head = (sizeof(Header) + 4095) / 4096 * 4096;
  bytes_ = head + n * part_bytes + n * n * sizeof(Channel);
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);  // zeros, in which counters begin
  void* memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes_)) == 0)
    memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int problem = errno;
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) throw std::runtime_error(std::string("shared memory: ") + std::strerror(problem));
  header_ = static_cast<Header*>(memory);
  slots_ = static_cast<std::byte*>(memory) + head;
  channels_ = reinterpret_cast<Channel*>(slots_ + n * part_bytes);
  Seat& own = header_->seats[rank];
  own.process.store(getpid());
  own.device.store(device);
  ++header_->joined;
  for (int looks = 0; header_->joined.load() < ranks; ++looks) pause(looks);
  shm_unlink(name.c_str());  // all have opened it; the first one removes the name
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < a; ++b) {
      if (header_->seats[a].device.load() != header_->seats[b].device.load()) continue;
      const std::string text = "ranks " + std::to_string(b) + " and " + std::to_string(a) + " have the same device, expected one for each";
      munmap(header_, bytes_);
      throw std::runtime_error(text);
    }
  }
}

Exchange::~Exchange() { munmap(header_, bytes_); }

// A rank whose process has ended would be waited for without end.
void Exchange::check_others() {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (kill(header_->seats[rank].process.load(), 0) == 0 || errno != ESRCH) continue;
    abort();
    throw std::runtime_error("the process of rank " + std::to_string(rank) + " has ended");
  }
}

void Exchange::wait(const std::function<bool()>& ready) {
  struct Waiting {
    std::atomic<int32_t>& count;
    explicit Waiting(std::atomic<int32_t>& all) : count(all) { ++count; }
    ~Waiting() { --count; }
  };
  if (ready()) return;
  const Waiting waiting(header_->waiting);
  for (int looks = 1; !ready(); ++looks) {
    if (header_->aborted.load() != 0) throw std::runtime_error("aborted");
    pause(looks);
    if (looks % 1000 == 0) check_others();
  }
}

void Exchange::meet() {
  const uint64_t steps = ++header_->seats[rank_].steps;
  wait([&] {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (header_->seats[rank].steps.load() < steps) return false;
    }
    return true;
  });
}

void Exchange::agree(const CallSignature& call) {
  header_->seats[rank_].call = call;
  meet();
  for (int rank = 0; rank < ranks_; ++rank) {
    if (header_->seats[rank].call == call) continue;
    abort();
    throw std::runtime_error("ranks " + std::to_string(rank_) + " and " + std::to_string(rank) + " differ in their calls");
  }
}

void Exchange::move(size_t bytes, const Put& put, const Take& take) {
  for (size_t at = 0; at < bytes; at += part_bytes) {
    const size_t n = std::min(part_bytes, bytes - at);
    put(slots_ + static_cast<size_t>(rank_) * part_bytes, at, n);
    meet();
    take(at, n);
    meet();
  }
}

bool Exchange::advance(Message& m) {
  Channel& way = m.is_sent ? channel(rank_, m.peer) : channel(m.peer, rank_);
  const bool is_full = way.put.load() > way.taken.load();
  if (m.is_sent == is_full) return false;
  const size_t n = std::min(part_bytes, m.bytes - m.done);
  if (m.is_sent) {
    way.bytes = m.bytes;
    std::memcpy(way.part, m.memory + m.done, n);
    ++way.put;
  } else {
    if (way.bytes != m.bytes) {
      abort();
      throw std::runtime_error("a message of " + std::to_string(way.bytes) + " bytes, expected " + std::to_string(m.bytes));
    }
    std::memcpy(m.memory + m.done, way.part, n);
    ++way.taken;
  }
  m.done += n;
  m.ended = m.done == m.bytes;
  return true;
}

void Exchange::pass(std::vector<Message> messages) {
  wait([&] {
    bool ended = true;
    for (size_t i = 0; i < messages.size(); ++i) {
      Message& m = messages[i];
      const auto is_before = [&](const Message& other) { return !other.ended && other.is_sent == m.is_sent && other.peer == m.peer; };
      if (m.ended || std::any_of(messages.begin(), messages.begin() + static_cast<ptrdiff_t>(i), is_before)) continue;
      while (!m.ended && advance(m)) {
      }
      ended = ended && m.ended;
    }
    return ended && std::all_of(messages.begin(), messages.end(), [](const Message& m) { return m.ended; });
  });
}

}  // namespace mt::cuda::emulated
