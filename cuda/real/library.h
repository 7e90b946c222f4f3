// A vendor's library, loaded by name on first use.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "cuda/runtime/context.h"

namespace mt::cuda {

class Library {
 public:
  // Loads the first of `names` that exists; newer ones come first. Raises an error if none exists.
  Library(std::string_view title, std::initializer_list<const char*> names) : title_(title) {
    std::string tried;
    for (const char* const name : names) {
      if (handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL); handle_ != nullptr) return;
      tried.append(tried.empty() ? "" : ", ").append(name);
    }
    raise(title_ + " is needed, and none of " + tried + " was found: install CUDA's libraries or name their folder in LD_LIBRARY_PATH");
  }

  static bool is_there(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
    }
    return false;
  }

  template <class F> F function(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) raise(title_ + " has no function " + name + ": a newer one is needed");
    return reinterpret_cast<F>(found);
  }

 private:
  const std::string title_;
  void* handle_ = nullptr;  // never closed
};

// Declares a member with the address of a library's function.
#define MT_LIBRARY_FUNCTION(library, name) decltype(&::name) name = library.function<decltype(&::name)>(#name)

}  // namespace mt::cuda
