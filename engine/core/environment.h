// Variables of the environment: Moontorch's own, and one for a library that reads it once, when it is opened.
#pragma once

namespace mt {

// The value of a variable of Moontorch's own, or null where it is not set: MOONTORCH_... Where a variable had another name in an
// earlier version, that one counts while the new one is not set.
const char* own_variable(const char* name);

// For its lifetime getenv(name) gives value. No setenv, which other threads must not read beside: the environment is replaced as a whole by
// a copy that has the variable too, and both stay as they are for who reads them.
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
