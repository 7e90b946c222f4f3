// Pending results: a hook (OpHook) may accept a call and answer with tensors of final sizes and dtypes whose elements follow later.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Creates the results of a call without out arguments by its planning function alone. Their storages are on meta until settle(): views of
// them work, and reading an element is an error. Raises the errors of the call, and one if sizes depend on elements.
void plan_pending(Call& call);

// Allocates the storage of a pending result on a device, uninitialised. From then on all its tensors, including views, are on that device,
// because a tensor asks its storage.
void settle(Storage& storage, DeviceId device);

}  // namespace mt
