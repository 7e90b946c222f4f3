// Names for temporary files: in folders that this process has made (mkdtemp, mode 0700), where no other user can plant a link.
#pragma once

#include <string>

namespace mt {

// until_exit: the file is removed when the process exits, if nobody has removed it. kept: it stays, for a program that reads it later.
enum class Temporary { until_exit, kept };

/// An absolute path in $TMPDIR or /tmp that nothing has yet. Any thread may call it.
/// @param ending of the name, such as ".png"
/// @throws Error (Status::file) if the folder can't be made
std::string temporary_name(Temporary lifetime, const std::string& ending);
/// Removes the files that last until exit. exit() does so; a child of fork that ends by _exit calls it before.
void remove_temporary_files() noexcept;

}  // namespace mt
