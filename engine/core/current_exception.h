// Converts the current exception into a status and message, for interfaces that exceptions must not leave.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>

#include "engine/core/error.h"

namespace mt {

// Call it in a catch block: returns report(status, message).
template <class Report> auto report_current_exception(Report&& report) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return report(e.status(), e.what());
  } catch (const std::bad_alloc&) {
    return report(Status::memory, "out of memory");
  } catch (const std::exception& e) {
    return report(Status::internal, e.what());
  } catch (...) {
    return report(Status::internal, "an unknown exception");
  }
}

// The message of a thread's last error, of which an interface has one as a thread_local variable. No string: a destructor per thread would
// pin the library, and the message of being out of memory must not need any.
template <size_t capacity> struct LastMessage {
  char text[capacity] = "";

  // Stores the message of the exception that is being handled; returns its status.
  Status keep_current_exception() noexcept {
    return report_current_exception([this](Status status, const char* message) {
      std::snprintf(text, sizeof text, "%s", message);
      return status;
    });
  }
};

}  // namespace mt
