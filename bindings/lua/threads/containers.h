// Copies of tds containers for other threads.
#pragma once

#include "engine/containers/containers.h"

namespace mt::lua {

// A deep copy: nested containers, tensors and storages are copied, too. Raises C++ errors.
ContainerPtr copied_container(Container* container);

}  // namespace mt::lua
