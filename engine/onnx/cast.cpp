#include "engine/onnx/cast.h"

#include <limits>

namespace mt::onnx {

// The engine's conversion saturates to the largest float8_e4m3fn, and overflows to the infinity of float8_e5m2.
Tensor cast_tensor(const NodeRun& n, const Tensor& x, DType dtype) {
  if (kind_of(dtype) != NumberKind::real || size_of(dtype) != 1 || x.dtype() == dtype) return n.converted(x, dtype);
  const bool saturates = n.integer("saturate", 1) != 0, has_infinity = info(dtype).name == "float8_e5m2";
  Tensor wide = n.converted(x, DType::float32);
  if (saturates && has_infinity) {
    constexpr double most = 57344;
    wide = n.eval("(x, least, most) clamp(x, least, most)", {wide, -most, most});
  } else if (!saturates && !has_infinity) {
    constexpr double most = 464, no_number = std::numeric_limits<double>::quiet_NaN();  // up to the middle to the next number, 480
    wide = n.eval("(x, most, no_number) where(gt(abs(x), most), no_number, x)", {wide, most, no_number});
  }
  return n.converted(wide, dtype);
}

}  // namespace mt::onnx
