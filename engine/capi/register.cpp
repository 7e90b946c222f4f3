// Registers the kernels of this build. It is above all families, so that no layer calls upward and nothing registers itself before main.
#include "engine/cpu/register.h"

namespace mt {

void register_all(Registry& registry) { cpu::register_kernels(registry); }

}  // namespace mt
