// Names in the file system that go with the process, even where it is killed.
#pragma once

#include <string>

namespace mt {

// From now on the file of this name is removed when this process, and all its children of fork, have ended.
void remove_at_end(const std::string& path) noexcept;
// It is removed already.
void forget_at_end(const std::string& path) noexcept;

}  // namespace mt
