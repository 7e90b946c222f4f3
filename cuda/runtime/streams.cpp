#include "cuda/runtime/streams.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/fork.h"

namespace mt::cuda {
namespace {

std::mutex lock;
Stream defaults[most_devices];
thread_local Stream current[most_devices];
thread_local int chosen = 0;
std::map<std::pair<int, int>, std::vector<Stream>> kept;  // by device and priority
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
  refuse_in_child();
  const std::lock_guard guard(lock);
  Stream& stream = defaults[device];
  if (stream.handle == nullptr) stream = driver::create_stream(device);
  return stream;
}

Stream take_stream(int device, int priority) {
  refuse_in_child();
  {
    const std::lock_guard guard(lock);
    if (std::vector<Stream>& alike = kept[{device, priority}]; !alike.empty()) {
      const Stream stream = alike.back();
      alike.pop_back();
      return stream;
    }
  }
  return driver::create_stream(device, priority);
}

void give_back_stream(Stream stream, int priority) {
  const std::lock_guard guard(lock);
  kept[{stream.device, priority}].push_back(stream);
}

void hold_up(Stream stream, Stream other) {
  if (stream == other) return;
  const Event event = driver::create_event(other.device, false);
  try {
    driver::record(event, other);
    driver::wait(stream, event);
  } catch (...) {
    driver::destroy_event(event);
    throw;
  }
  driver::destroy_event(event);
}

Stream current_stream(int device) {
  refuse_in_child();
  Stream& stream = current[device];
  if (stream.handle == nullptr) stream = default_stream(device);
  return stream;
}

void set_current_stream(Stream stream) { current[stream.device] = stream; }

}  // namespace mt::cuda
