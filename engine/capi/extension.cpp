// Ops from other libraries.
#include "engine/capi/handle.h"
#include "engine/extension/load.h"

mt_status mt_ops_load(const char* path) {
  return mt::capi::guard([&] { mt::load_ops(&mt::capi::take(path, "mt_ops_load", "path")); });
}
