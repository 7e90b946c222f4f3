// Libraries of picture formats, which are opened at the first file of a format (engine/core/system_libraries.h). This code declares
// the functions of their stable interfaces, so that a build doesn't need their headers.
#pragma once

#include <dlfcn.h>

#include <string>

#include "engine/core/system_libraries.h"
#include "packages/image/format.h"

namespace mt::image {

// Opens a library; if it is missing, the error names the packages that contain it.
inline void* opened(const SystemLibrary& row) {
  if (void* library = open_library(row)) return library;
  std::string packages(row.packages);
  for (size_t at; (at = packages.find(" | ")) != packages.npos;) packages.replace(at, 3, " or ");
  damage(std::string(row.sonames.substr(0, row.sonames.find(' '))) + " was not found, which " + std::string(row.serves) +
         " need (Debian and Ubuntu: apt-get install " + packages + ")");
}

// Looks functions up in an open library; `optional` ones may be missing.
struct Finder {
  void* library;
  template <class F> void operator()(const char* name, F*& out, bool optional = false) const {
    out = reinterpret_cast<F*>(dlsym(library, name));
    if (out == nullptr && !optional) damage(std::string("the library that reads such files has no function ") + name);
  }
};

// A library's functions, which `look_up(functions, find)` finds. Use it as a static variable, so that the library is opened once.
template <class Functions, class LookUp> Functions functions_of(const SystemLibrary& row, LookUp look_up) {
  Functions functions;
  look_up(functions, Finder{opened(row)});
  return functions;
}

}  // namespace mt::image
