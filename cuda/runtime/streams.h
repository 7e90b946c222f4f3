// The current stream of this thread on each device, and the devices' numbers in the engine.
#pragma once

#include "cuda/runtime/context.h"
#include "cuda/runtime/driver.h"
#include "engine/core/device_id.h"
#include "engine/core/tensor.h"

namespace mt::cuda {

inline constexpr int most_devices = 6;  // in addition to the CPU and meta

void add_device_number(int device, DeviceId id);
int device_of(DeviceId id);  // from 0
DeviceId id_of(int device);

int current_device();  // of this thread, from 0: the device named `cuda`
void set_current_device(int device);

Stream default_stream(int device);
// An additional stream. Released streams are cached and reused: their work and memory stay valid, and threads may still have them as
// current streams.
Stream take_stream(int device, int priority);
void give_back_stream(Stream stream, int priority);
void hold_up(Stream stream, Stream other);  // until the present work on the other one is done
Stream current_stream(int device);
void set_current_stream(Stream stream);
// The stream for kernels of the running op.
inline Stream op_stream() { return current_stream(current_op_device()); }
inline Stream stream_of(const Tensor& t) { return current_stream(device_of(t.device())); }
inline const Properties& properties_of(Stream stream) { return driver::properties(stream.device); }

// The elements of a tensor, as kernels address them.
template <class T> T* elements(const Tensor& t) { return driver::reachable(t.data<T>()); }
template <class T = std::byte> T* reachable(std::byte* p) { return reinterpret_cast<T*>(driver::reachable(p)); }

}  // namespace mt::cuda
