// Guards: the values of a captured program that it read as numbers. A graph is valid for a run only if they are the same again.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace mt {

// What a value must be.
struct Guard {
  Tensor elements;     // on the CPU
  bool sizes = false;  // the sizes count alone, not the elements
  std::string origin;  // the line of the program that read the value

  bool holds(const Tensor& value) const;
};

}  // namespace mt
