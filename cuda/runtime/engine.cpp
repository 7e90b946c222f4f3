// Parts of the engine that are compiled into the plug-in look up devices: they use those of the engine.
#include "cuda/runtime/context.h"

namespace mt {

Device& device(DeviceId id) { return cuda::host().device(id); }

}  // namespace mt
