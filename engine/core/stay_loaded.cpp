#include "engine/core/stay_loaded.h"

#include <dlfcn.h>

namespace mt {

void stay_loaded() {
  static const char here = 0;
  Dl_info self;
  if (dladdr(&here, &self) != 0) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace mt
