// Version, and the message of a thread's last error.
#include <cstdio>

#include "engine/capi/handle.h"
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
  try {
    throw;
  } catch (const Interrupted& e) {
    interrupt_reported();
    return keep(e.status(), e.what());
  } catch (const Error& e) {
    return keep(e.status(), e.what());
  } catch (const std::bad_alloc&) {
    return keep(Status::memory, "out of memory");
  } catch (const std::exception& e) {
    return keep(Status::internal, e.what());
  } catch (...) {
    return keep(Status::internal, "an unknown exception");
  }
}

}  // namespace mt::capi

const char* mt_version() { return MT_VERSION; }
const char* mt_error_message() { return mt::capi::message; }
