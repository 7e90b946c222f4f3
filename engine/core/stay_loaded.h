// A library that a host opens and closes.
#pragma once

namespace mt {

/// Keeps our own library in memory for good: threads of ours wait in its code, and what other libraries have made for us is never
/// destroyed, as these may be gone at exit. A host that opens and closes us again finds all that instead of making it again.
void stay_loaded();

}  // namespace mt
