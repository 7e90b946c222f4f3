// Prevents the unloading of this library.
#pragma once

namespace mt {

/// Keeps this library loaded until the process ends. Worker threads wait in its code, and it never destroys objects of other libraries,
/// which may be unloaded first at exit. A host that closes and reopens the library finds the same threads and objects.
void stay_loaded();

}  // namespace mt
