// Libraries that add ops: opens them, checks them, and adds their ops.
#pragma once

#include <string>
#include <vector>

namespace mt {

// The declarations of a library. Raises an error if it can't be loaded.
struct DeclaredOp {
  std::string name;
  bool method;                                    // it is also a method of tensors
  bool added;                                     // by an earlier load of the same library
  std::vector<std::string> arguments, gradients;  // if not added: expressions, empty if there is none
};
std::vector<DeclaredOp> read_ops(const char* path);

// Adds all ops of a library, or none. Has no effect for a library that was loaded before.
void load_ops(const char* path);

}  // namespace mt
