// Converts the current exception into a status and message, for interfaces that exceptions must not leave.
#pragma once

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

}  // namespace mt
