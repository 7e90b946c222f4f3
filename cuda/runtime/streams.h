// The stream on which this thread's ops run, a device; and the devices' numbers in the engine.
#pragma once

#include "cuda/runtime/context.h"
#include "cuda/runtime/driver.h"
#include "engine/core/device_id.h"
#include "engine/core/tensor.h"

namespace mt::cuda {

inline constexpr int most_devices = 6;  // beside the CPU and meta

void add_device_number(int device, DeviceId id);
int device_of(DeviceId id);  // from 0
DeviceId id_of(int device);

int current_device();  // of this thread, from 0: the one that is called `cuda`
void set_current_device(int device);

Stream default_stream(int device);
// A stream beside the default one. What is given back is kept for the next that is asked for: its work, and memory that belongs to it, go
// on, and threads whose current stream it is do no harm.
Stream take_stream(int device, int priority);
void give_back_stream(Stream stream, int priority);
void hold_up(Stream stream, Stream other);  // until what is on the other one by now is done
Stream current_stream(int device);
void set_current_stream(Stream stream);
// Where the kernels of the op that runs go.
inline Stream op_stream() { return current_stream(current_op_device()); }
inline Stream stream_of(const Tensor& t) { return current_stream(device_of(t.device())); }
inline const Properties& properties_of(Stream stream) { return driver::properties(stream.device); }

// A tensor's elements, as kernels see them.
template <class T> T* elements(const Tensor& t) { return driver::reachable(t.data<T>()); }
template <class T = std::byte> T* reachable(std::byte* p) { return reinterpret_cast<T*>(driver::reachable(p)); }

}  // namespace mt::cuda
