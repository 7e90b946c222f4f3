#include "cuda/runtime/streams.h"

#include <mutex>

namespace mt::cuda {
namespace {

std::mutex lock;
Stream defaults[most_devices];
thread_local Stream current[most_devices];
thread_local int chosen = 0;
DeviceId ids[most_devices];
int devices[max_devices];

}  // namespace

void add_device_number(int device, DeviceId id) {
  ids[device] = id;
  devices[id] = device;
}
int device_of(DeviceId id) { return devices[id]; }
DeviceId id_of(int device) { return ids[device]; }

int current_device() { return chosen; }
void set_current_device(int device) { chosen = device; }

Stream default_stream(int device) {
  const std::lock_guard guard(lock);
  Stream& stream = defaults[device];
  if (stream.handle == nullptr) stream = driver::create_stream(device);
  return stream;
}

Stream current_stream(int device) {
  Stream& stream = current[device];
  if (stream.handle == nullptr) stream = default_stream(device);
  return stream;
}

void set_current_stream(Stream stream) { current[stream.device] = stream; }

}  // namespace mt::cuda
