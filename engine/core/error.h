// Errors: one exception type, and fail(), which words every message alike: "op: argument: actual, expected ...".
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#define MT_ASSERT(condition)                                                  \
  do {                                                                        \
    if (!(condition)) ::mt::broken_invariant(#condition, __FILE__, __LINE__); \
  } while (false)

namespace mt {

// The kind of an error, numbered as mt_status of the C interface. `invalid` is for errors that fit no other kind.
enum class Status : int32_t {
  ok = 0,
  invalid = 1,
  range = 2,
  dtype = 3,
  memory = 4,
  unsupported = 5,
  internal = 6,
  interrupted = 7,
  shape = 8,
  file = 9,
  lua = 10
};

class Error : public std::exception {
 public:
  Error(Status status, std::string message) : status_(status), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  Status status() const noexcept { return status_; }

 private:
  Status status_;
  std::string message_;
};

// A dimension or index that counts from 0; messages show it counted from 1.
struct Dim {
  int64_t value;
};

using Sizes = std::span<const int64_t>;

// A dimension or position from a caller, and a list of them. Messages show negative ones, which count from the end, unchanged.
struct Counted {
  int64_t value;
};
struct CountedList {
  Sizes values;
};

void append(std::string& text, std::string_view part);
void append(std::string& text, const char* part);
void append(std::string& text, int part);
void append(std::string& text, int64_t part);
void append(std::string& text, size_t part);
void append(std::string& text, double part);
void append(std::string& text, Dim part);
void append(std::string& text, Sizes part);  // [2, 3]
void append(std::string& text, Counted part);
void append(std::string& text, CountedList part);  // likewise

template <class... Parts> std::string concat(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

[[noreturn]] void raise(Status status, std::string message);
[[noreturn]] void broken_invariant(const char* condition, const char* file, int line);

// Raises "op: argument: parts", without an empty argument. fail<Status::shape>(...) sets the kind of the error.
template <Status status = Status::invalid, class... Parts>
[[noreturn]] void fail(std::string_view op, std::string_view argument, const Parts&... parts) {
  std::string text(op);
  text += ": ";
  if (!argument.empty()) text.append(argument).append(": ");
  (append(text, parts), ...);
  raise(status, std::move(text));
}

}  // namespace mt
