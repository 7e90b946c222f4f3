#include "engine/core/own_file.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <cstring>
#include <memory>

namespace mt {

std::string own_file() {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&own_file), &self) == 0 || self.dli_fname == nullptr) return {};
  // The system knows a program from $PATH by its bare name, which must not be taken for a file in the current folder.
  const char* const name = std::strchr(self.dli_fname, '/') != nullptr ? self.dli_fname : "/proc/self/exe";
  const std::unique_ptr<char, decltype(&free)> path(realpath(name, nullptr), &free);
  return path != nullptr ? path.get() : "";
}

std::string own_folder() {
  const std::string file = own_file();
  return file.substr(0, file.rfind('/') + 1);
}

}  // namespace mt
