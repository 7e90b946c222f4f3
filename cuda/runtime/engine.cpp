// The engine's parts that are compiled into the plug-in ask for devices: they get the engine's own.
#include "cuda/runtime/context.h"

namespace mt {

Device& device(DeviceId id) { return cuda::host().device(id); }

}  // namespace mt
