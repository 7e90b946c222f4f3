// What the process writes to its standard output and error, Lua code and C code alike, as it comes.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <thread>

namespace kernel {

class Output {
 public:
  /// Is given the name of a stream, stdout or stderr, and text. Called with the turn held.
  using Publish = std::function<void(const std::string&, const std::string&)>;

  explicit Output(Publish publish);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Publishes all that was written up to now, and then calls `then`, which may publish more. The caller does not hold the turn.
  void in_order(const std::function<void()>& then);

 private:
  struct Stream {
    const char* name;
    int descriptor;     // 1 or 2
    int original;       // where it went before
    int reading;        // the pipe's end
    std::string begun;  // of a character of several bytes whose end has not come
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
