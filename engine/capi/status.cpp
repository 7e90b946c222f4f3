// Version, and the message of a thread's last error.
#include "engine/capi/handle.h"
#include "engine/core/current_exception.h"
#include "engine/core/interrupt.h"

namespace mt::capi {
namespace {

thread_local LastMessage<1024> last;

}  // namespace

mt_status keep_message() noexcept {
  const Status status = last.keep_current_exception();
  if (status == Status::interrupted) interrupt_reported();
  return static_cast<mt_status>(status);
}

}  // namespace mt::capi

const char* mt_version() { return MT_VERSION; }
const char* mt_error_message() { return mt::capi::last.text; }
