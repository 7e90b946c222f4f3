// The file that contains this code.
#pragma once

#include <string>

namespace mt {

/// The absolute path of the library, or of the program that it is linked into. Empty if the system can't tell.
std::string own_file();
/// The folder of that file, with a trailing slash; or empty.
std::string own_folder();

}  // namespace mt
