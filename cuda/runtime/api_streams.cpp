// Streams and events of cuda/api.h.
#include <vector>

#include "cuda/runtime/device.h"
#include "cuda/runtime/handles.h"
#include "cuda/runtime/streams.h"

namespace mt::cuda {
namespace {

struct OwnStream {
  Stream stream;
  int priority = 0;
};

constexpr int32_t first_stream = 1024;  // smaller numbers are default streams, by device

Handles<OwnStream>& streams() {
  static auto& all = *new Handles<OwnStream>(first_stream);
  return all;
}
Handles<Event>& events() {
  static auto& all = *new Handles<Event>(1);
  return all;
}

}  // namespace

Stream stream_called(const char* function, int32_t number) {
  if (number >= 0 && number < std::min(driver::device_count(), most_devices)) return default_stream(number);
  OwnStream found;
  if (!streams().find(number, found)) fail(function, "stream", number, ", expected a stream that exists");
  return found.stream;
}

Event event_called(const char* function, int32_t number) {
  Event found;
  if (!events().find(number, found)) fail(function, "event", number, ", expected an event that exists");
  return found;
}

// A destroyed stream that is still current in a thread reports the number of the default stream.
int32_t number_of(Stream stream) {
  if (stream == default_stream(stream.device)) return stream.device;
  const int32_t number = streams().find_if([&](const OwnStream& own) { return own.stream == stream; });
  return number >= 0 ? number : stream.device;
}

}  // namespace mt::cuda

using namespace mt::cuda;
using mt::fail;

mt_cuda_status mt_cuda_stream_create(int32_t device, int32_t priority, int32_t* out) {
  return guard([&] {
    checked_out("mt_cuda_stream_create", "out", out) =
        streams().add({take_stream(checked_device("mt_cuda_stream_create", device), priority), priority});
  });
}

mt_cuda_status mt_cuda_stream_destroy(int32_t stream) {
  return guard([&] {
    OwnStream own;
    if (!streams().find(stream, own)) fail("mt_cuda_stream_destroy", "stream", stream, ", expected a stream that was created");
    if (driver::is_capturing(own.stream)) fail("mt_cuda_stream_destroy", "stream", stream, ", expected one that is not being captured");
    if (!streams().take(stream, own)) return;
    if (current_stream(own.stream.device) == own.stream) set_current_stream(default_stream(own.stream.device));
    give_back_stream(own.stream, own.priority);
  });
}

mt_cuda_status mt_cuda_stream_device(int32_t stream, int32_t* out) {
  return guard([&] { checked_out("mt_cuda_stream_device", "out", out) = stream_called("mt_cuda_stream_device", stream).device; });
}

mt_cuda_status mt_cuda_current_stream(int32_t device, int32_t* out) {
  return guard([&] {
    checked_out("mt_cuda_current_stream", "out", out) = number_of(current_stream(checked_device("mt_cuda_current_stream", device)));
  });
}

mt_cuda_status mt_cuda_set_current_stream(int32_t stream) {
  return guard([&] { set_current_stream(stream_called("mt_cuda_set_current_stream", stream)); });
}

mt_cuda_status mt_cuda_stream_is_done(int32_t stream, int32_t* out) {
  return guard([&] {
    checked_out("mt_cuda_stream_is_done", "out", out) = driver::is_done(stream_called("mt_cuda_stream_is_done", stream)) ? 1 : 0;
  });
}

mt_cuda_status mt_cuda_stream_synchronize(int32_t stream) {
  return guard([&] {
    const Stream own = stream_called("mt_cuda_stream_synchronize", stream);
    device(own.device).synchronize(own);
  });
}

mt_cuda_status mt_cuda_stream_wait_event(int32_t stream, int32_t event) {
  return guard([&] { driver::wait(stream_called("mt_cuda_stream_wait_event", stream), event_called("mt_cuda_stream_wait_event", event)); });
}

mt_cuda_status mt_cuda_stream_wait_stream(int32_t stream, int32_t other) {
  return guard([&] {
    const Stream waiting = stream_called("mt_cuda_stream_wait_stream", stream);
    hold_up(waiting, stream_called("mt_cuda_stream_wait_stream", other));
  });
}

mt_cuda_status mt_cuda_stream_handle(int32_t stream, void** out) {
  return guard([&] { checked_out("mt_cuda_stream_handle", "out", out) = stream_called("mt_cuda_stream_handle", stream).handle; });
}

mt_cuda_status mt_cuda_event_create(int32_t device, int32_t timed, int32_t* out) {
  return guard([&] {
    int32_t& number = checked_out("mt_cuda_event_create", "out", out);
    number = events().add(driver::create_event(checked_device("mt_cuda_event_create", device), timed != 0));
  });
}

mt_cuda_status mt_cuda_event_destroy(int32_t event) {
  return guard([&] {
    Event own;
    if (!events().take(event, own)) fail("mt_cuda_event_destroy", "event", event, ", expected an event that exists");
    driver::destroy_event(own);
  });
}

mt_cuda_status mt_cuda_event_record(int32_t event, int32_t stream) {
  return guard([&] {
    const Event own = event_called("mt_cuda_event_record", event);
    const Stream behind = stream_called("mt_cuda_event_record", stream);
    if (own.device != behind.device) fail("mt_cuda_event_record", "stream", stream, ", expected one of the event's device");
    driver::record(own, behind);
  });
}

mt_cuda_status mt_cuda_event_is_done(int32_t event, int32_t* out) {
  return guard(
      [&] { checked_out("mt_cuda_event_is_done", "out", out) = driver::is_done(event_called("mt_cuda_event_is_done", event)) ? 1 : 0; });
}

mt_cuda_status mt_cuda_event_synchronize(int32_t event) {
  return guard([&] {
    const Event own = event_called("mt_cuda_event_synchronize", event);
    driver::synchronize(own);
    device(own.device).report();
  });
}

mt_cuda_status mt_cuda_event_elapsed_ms(int32_t from, int32_t to, double* out) {
  return guard([&] {
    const Event first = event_called("mt_cuda_event_elapsed_ms", from), last = event_called("mt_cuda_event_elapsed_ms", to);
    if (first.device != last.device)
      fail("mt_cuda_event_elapsed_ms", "to", "an event of another device, expected one of the device of from");
    checked_out("mt_cuda_event_elapsed_ms", "out", out) = driver::elapsed_ms(first, last);
  });
}
