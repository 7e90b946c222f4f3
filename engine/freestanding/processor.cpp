// The processor of a program without threads.
#include "engine/core/processor.h"

namespace mt {

int count_processors() { return 1; }
bool processors_are_busy() { return false; }

}  // namespace mt
