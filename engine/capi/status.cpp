// Version, and the message of a thread's last error.
#include <cstdio>

#include "engine/capi/handle.h"
#include "engine/core/current_exception.h"
#include "engine/core/interrupt.h"

namespace mt::capi {
namespace {

// No string: a destructor per thread would pin the library, and the message of being out of memory must not need any.
thread_local char message[1024] = "";

mt_status keep(Status status, const char* text) {
  std::snprintf(message, sizeof message, "%s", text);
  return static_cast<mt_status>(status);
}

}  // namespace

mt_status keep_message() noexcept {
  return report_current_exception([](Status status, const char* text) {
    if (status == Status::interrupted) interrupt_reported();
    return keep(status, text);
  });
}

}  // namespace mt::capi

const char* mt_version() { return MT_VERSION; }
const char* mt_error_message() { return mt::capi::message; }
