// Libraries of picture formats that are opened when the first such file comes (engine/core/system_libraries.h). Their functions are
// declared here, as their stable interfaces have them, so that a build needs no headers of theirs.
#pragma once

#include <dlfcn.h>

#include <mutex>
#include <string>

#include "engine/core/system_libraries.h"
#include "packages/image/format.h"

namespace mt::image {

// Opens a library once for the process, and looks up its functions.
class OpenedLibrary {
 public:
  explicit constexpr OpenedLibrary(SystemLibrary row) : row_(row) {}

  // The library; where it is missing, the error names the packages that have it.
  void* get() {
    const std::lock_guard lock(mutex_);
    if (library_ == nullptr) library_ = open_library(row_);
    if (library_ == nullptr) {
      std::string packages(row_.packages);
      for (size_t at; (at = packages.find(" | ")) != packages.npos;) packages.replace(at, 3, " or ");
      damage(std::string(row_.sonames.substr(0, row_.sonames.find(' '))) + " was not found, which " + std::string(row_.serves) +
             " need (Debian and Ubuntu: apt-get install " + packages + ")");
    }
    return library_;
  }

 private:
  SystemLibrary row_;
  std::mutex mutex_;
  void* library_ = nullptr;
};

// Looks a function up; `optional` ones may be missing.
template <class F> void find_function(void* library, const char* name, F*& out, bool optional = false) {
  out = reinterpret_cast<F*>(dlsym(library, name));
  if (out == nullptr && !optional) damage(std::string("the library that reads such files has no function ") + name);
}

}  // namespace mt::image
