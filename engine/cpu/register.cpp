#include "engine/cpu/register.h"

#include "engine/core/meta.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/device.h"
#include "engine/cpu/target.h"

namespace mt::cpu {

void register_kernels(Registry& registry) {
  choose_target();
  add_device(device(), &copy);
  add_device(meta(), &copy_nothing);
  set_copy(cpu_device, meta_device, &copy_nothing);
  add_families(registry);
}

}  // namespace mt::cpu
