// Kinds of devices: what several of one sort share, as `cuda:1` and `cuda:2` are `cuda`. The types of their tensors have names of their
// own, which begin with it, as in Torch7: torch.CudaTensor of floats, torch.CudaDoubleTensor. Other devices have tensors of the plain
// names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/device_id.h"
#include "engine/core/dtype.h"

namespace mt {

using KindId = uint8_t;  // from 1 on
inline constexpr KindId plain_kind = 0;
inline constexpr int max_kinds = 4;

// Makes the devices `kind` and `kind:<n>`, those that there are already too, ones of the kind. Raises an error when there are too many.
KindId add_kind(std::string_view kind);

KindId kind_of_other(DeviceId id);
inline KindId device_kind(DeviceId id) { return id == cpu_device ? plain_kind : kind_of_other(id); }
int kind_count();  // the plain one included
std::string_view kind_name(KindId kind);
std::string_view type_prefix(KindId kind);  // what the names of its types begin with: `Cuda`
DeviceId current_device(KindId kind);       // the one that is called as the kind is; of the plain one, the CPU

// The dtype and the kind that the name of a type of tensors says: float32 and the kind `cuda` for 'torch.CudaTensor'.
struct TensorType {
  DType dtype;
  KindId kind;
};
std::optional<TensorType> find_tensor_type(std::string_view name);
void append_type(std::string& text, DType dtype, KindId kind, std::string_view of);  // 'torch.CudaTensor', 'torch.FloatStorage'

}  // namespace mt

// A device's library (engine/core/device_host.h) may define it: the kind that its devices are of.
extern "C" __attribute__((visibility("default"))) const char mt_device_kind[];
