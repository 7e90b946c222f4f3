// Containers of tds on their way to another thread.
#pragma once

#include "engine/containers/containers.h"

namespace mt::lua {

// Another container of the same elements, in which containers, tensors and storages are copies, too. Raises C++ errors.
ContainerPtr copied_container(Container* container);

}  // namespace mt::lua
