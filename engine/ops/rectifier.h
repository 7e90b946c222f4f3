// What may follow a convolution, element by element: ReLU, up to a largest value.
#pragma once

#include <limits>

namespace mt {

// y becomes min(max(y, 0), most) if the rectifier is on. NaN stays NaN.
struct Rectifier {
  bool is_on = false;
  double most = std::numeric_limits<double>::infinity();

  bool is_limited() const { return most != std::numeric_limits<double>::infinity(); }
};

}  // namespace mt
