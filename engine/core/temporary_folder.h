// Names for temporary files, in folders that this process creates (mkdtemp, mode 0700), where other users can't place links.
#pragma once

#include <string>

namespace mt {

// until_exit: the file is removed when the process exits. kept: it remains, for a program that reads it later.
enum class Temporary { until_exit, kept };

/// A new absolute path in $TMPDIR or /tmp. Any thread may call it.
/// @param ending of the name, such as ".png"
/// @throws Error (Status::file) if the folder can't be made
std::string temporary_name(Temporary lifetime, const std::string& ending);
/// Removes the files of kind until_exit. exit() does so; a forked child that ends by _exit calls it first.
void remove_temporary_files() noexcept;

}  // namespace mt
