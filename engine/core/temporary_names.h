// File names that are removed when the process ends, even if it is killed.
#pragma once

#include <string>

namespace mt {

// Removes the file when this process and all its forked children have ended.
void remove_at_end(const std::string& path) noexcept;
// Cancels this: the file is removed already.
void forget_at_end(const std::string& path) noexcept;

}  // namespace mt
