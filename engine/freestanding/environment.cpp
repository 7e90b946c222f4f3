// A program without environment variables.
#include "engine/core/environment.h"

namespace mt {

const char* own_variable(const char*) { return nullptr; }

}  // namespace mt
