// Forwards the standard output and error of the process, from Lua and C code, to the frontend.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <thread>

namespace kernel {

class Output {
 public:
  /// Receives the name of a stream, stdout or stderr, and text. Called with turn() locked.
  using Publish = std::function<void(const std::string&, const std::string&)>;

  explicit Output(Publish publish);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Publishes all output so far, and then calls `then`, which may publish more. The caller must not hold turn().
  void in_order(const std::function<void()>& then);

 private:
  struct Stream {
    const char* name;
    int descriptor;     // 1 or 2
    int original;       // the original destination
    int reading;        // the read end of the pipe
    std::string begun;  // bytes of an incomplete character
  };

  void forward();
  void flush_often();
  bool take(Stream& stream);

  Publish publish_;
  std::array<Stream, 2> streams_;
  int stop_[2];
  std::thread forwarding_, flushing_;
};

}  // namespace kernel
