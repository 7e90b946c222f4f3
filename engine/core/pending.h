// Results that are promised: a hook (OpHook) may accept a call and answer with tensors whose sizes and dtypes are final and whose elements
// come later.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Makes the results of a call, none of them given, by its plan alone. Their storages are on meta until settle(): views of them may be made,
// and whatever reads an element raises an error. Raises the errors of the call, and one where sizes depend on elements.
void plan_pending(Call& call);

// Gives the storage of a pending result memory on a device, uninitialised. Every tensor on it, views included, is on that device from then
// on, as a tensor asks its storage.
void settle(Storage& storage, DeviceId device);

}  // namespace mt
