// Environment variables: Moontorch's, and a temporary one for a library that reads it while it is loaded.
#pragma once

namespace mt {

// Returns the value of one of Moontorch's variables, MOONTORCH_..., or null if it is not set. If the variable had another name in an
// earlier version, the old name counts while the new one is not set.
const char* own_variable(const char* name);

// For its lifetime getenv(name) returns value. setenv would race with getenv in other threads; instead this class replaces `environ` by a
// copy with the variable. Readers can continue to use either list, because neither changes.
class WithVariable {
 public:
  WithVariable(const char* name, const char* value);
  ~WithVariable();
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;

 private:
  char** const before_;
  char** copy_;
};

}  // namespace mt
