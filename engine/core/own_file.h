// Where the code of this library is.
#pragma once

#include <string>

namespace mt {

/// The absolute path of the file that holds this code: the library, or a program that it is linked into. Empty where the system can't tell.
std::string own_file();
/// The folder of that file, with a slash at its end; or empty.
std::string own_folder();

}  // namespace mt
