// Libraries that bring ops: opened, looked at, and their ops added.
#pragma once

#include <string>
#include <vector>

namespace mt {

// What a library declares. Raises an error that says why it can't be loaded.
struct DeclaredOp {
  std::string name;
  bool method;                                    // it is one of tensors', too
  bool added;                                     // by an earlier load of this very library
  std::vector<std::string> arguments, gradients;  // of one that is not added: expressions, empty where there is none
};
std::vector<DeclaredOp> read_ops(const char* path);

// Adds all ops of a library, or none. One that was loaded before is left as it is.
void load_ops(const char* path);

}  // namespace mt
