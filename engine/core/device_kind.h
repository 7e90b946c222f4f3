// Kinds of devices: `cuda:1` and `cuda:2` are of the kind `cuda`. Names of their tensor types begin with the kind, as in Torch7:
// torch.CudaTensor (float32), torch.CudaDoubleTensor. Tensors on devices without a kind have the plain names, such as
// torch.FloatTensor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/device_id.h"
#include "engine/core/dtype.h"

namespace mt {

using KindId = uint8_t;  // counts from 1; 0: no kind
inline constexpr KindId plain_kind = 0;
inline constexpr int max_kinds = 4;

// Defines a kind, of which all present and future devices `kind` and `kind:<n>` are. Raises an error if there are too many kinds.
KindId add_kind(std::string_view kind);

KindId kind_of_other(DeviceId id);
inline KindId device_kind(DeviceId id) { return id == cpu_device ? plain_kind : kind_of_other(id); }
int kind_count();  // including the plain one, 0
std::string_view kind_name(KindId kind);
std::string_view type_prefix(KindId kind);  // prefix of its type names: `Cuda`
DeviceId current_device(KindId kind);       // the device with the name of the kind; the CPU for the plain one

// The dtype and kind of a type name: float32 and `cuda` for 'torch.CudaTensor'.
struct TensorType {
  DType dtype;
  KindId kind;
};
std::optional<TensorType> find_tensor_type(std::string_view name);
void append_type(std::string& text, DType dtype, KindId kind, std::string_view of);  // 'torch.CudaTensor', 'torch.FloatStorage'

}  // namespace mt

// A device library (engine/core/device_host.h) may define it: the kind of its devices.
extern "C" __attribute__((visibility("default"))) const char mt_device_kind[];
