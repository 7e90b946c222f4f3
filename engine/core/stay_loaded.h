// A library that a host opens and closes.
#pragma once

namespace mt {

/// Keeps this library in memory until the process ends: worker threads wait in its code, and objects of other libraries are never
/// destroyed, as these may be unloaded at exit. A host that opens the library again finds both instead of making them again.
void stay_loaded();

}  // namespace mt
