// Pipes replace descriptors 1 and 2. A thread forwards their content; before anything else is published, the pipes are forwarded, so that
// all output is in order. Another thread flushes C's buffer, for lines without an end; it may have to wait for the first thread.
#include "output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "turn.h"

namespace kernel {
namespace {

constexpr int kRoom = 1 << 20;      // size of a pipe in bytes, if the system allows it
constexpr int kGathering = 20;      // milliseconds to collect output: frontends handle few messages per second
constexpr int kFlushEach = 50;      // milliseconds
constexpr int kLooksAtParent = 20;  // flushes between two checks

/// The number of bytes at the end that begin an incomplete character of UTF-8.
size_t begun_character(const std::string& text) {
  for (size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    const auto byte = static_cast<unsigned char>(text[text.size() - length]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    if (byte >= 0xF8) return 0;
    const size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return whole > length ? length : 0;
  }
  return 0;
}

void redirect(int from, int to) {
  while (dup2(from, to) < 0 && errno == EINTR) {
  }
}

}  // namespace

Output::Output(Publish publish) : publish_(std::move(publish)), streams_{{{"stdout", 1, -1, -1, {}}, {"stderr", 2, -1, -1, {}}}} {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  for (Stream& stream : streams_) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the output");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
    fcntl(ends[1], F_SETPIPE_SZ, kRoom);
#endif
    stream.original = fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 3);
    stream.reading = ends[0];
    redirect(ends[1], stream.descriptor);
    close(ends[1]);
  }
  if (pipe2(stop_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the output");
  forwarding_ = std::thread([this] { forward(); });
  flushing_ = std::thread([this] { flush_often(); });
}

Output::~Output() {
  std::fflush(stdout);
  close(stop_[1]);
  flushing_.join();
  forwarding_.join();
  for (Stream& stream : streams_) {
    if (stream.original >= 0) {
      redirect(stream.original, stream.descriptor);
      close(stream.original);
    }
    close(stream.reading);
  }
  close(stop_[0]);
}

void Output::in_order(const std::function<void()>& then) {
  std::fflush(stdout);  // without holding turn(), because the pipe may be full
  const std::lock_guard<std::mutex> mine(turn());
  for (Stream& stream : streams_) {
    while (take(stream)) {
    }
    if (!stream.begun.empty()) publish_(stream.name, std::exchange(stream.begun, {}));  // its end is missing
  }
  then();
}

/// Publishes the content of the pipe, at most one buffer; returns whether there may be more.
bool Output::take(Stream& stream) {
  static char buffer[1 << 16];
  const ssize_t got = read(stream.reading, buffer, sizeof buffer);
  if (got <= 0) return got < 0 && errno == EINTR;
  std::string text = std::move(stream.begun);
  text.append(buffer, static_cast<size_t>(got));
  const size_t whole = text.size() - begun_character(text);
  stream.begun = text.substr(whole);
  text.resize(whole);
  if (!text.empty()) publish_(stream.name, text);
  return true;
}

void Output::forward() {
  pollfd watched[3] = {{streams_[0].reading, POLLIN, 0}, {streams_[1].reading, POLLIN, 0}, {stop_[0], 0, 0}};
  for (;;) {
    if (poll(watched, 3, -1) < 0) continue;
    if (watched[2].revents != 0) return;
    pollfd stopped{stop_[0], 0, 0};
    if (poll(&stopped, 1, kGathering) > 0) return;
    const std::lock_guard<std::mutex> mine(turn());
    for (Stream& stream : streams_) take(stream);
  }
}

/// Also ends the process after its parent has ended: then nothing else could end it.
void Output::flush_often() {
  const pid_t parent = std::getenv("JPY_PARENT_PID") ? getppid() : 0;
  pollfd stopped{stop_[0], 0, 0};
  for (int i = 0; poll(&stopped, 1, kFlushEach) <= 0; ++i) {
    std::fflush(stdout);
    if (parent > 1 && i % kLooksAtParent == 0 && getppid() != parent) _exit(1);
  }
}

}  // namespace kernel
