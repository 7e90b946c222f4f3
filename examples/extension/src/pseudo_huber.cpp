// pseudo_huber: an elementwise op. It consists of a loop; the engine handles sizes, strides, dtypes and threads.
#include <cmath>

#include "ops.h"

namespace {

template <class T> void loop(int64_t n, void* const* operands) {
  T* y = static_cast<T*>(operands[0]);
  const T *x = static_cast<const T*>(operands[1]), *delta = static_cast<const T*>(operands[2]);
  for (int64_t i = 0; i < n; ++i) {
    const T size = std::abs(x[i]), d = delta[i];
    const T large = size > d ? size : d, ratio = (size > d ? d : size) / large;  // propagates a NaN
    const T root = large * std::sqrt(1 + ratio * ratio);                         // no square overflows
    y[i] = size > d ? root - d : size * (size / (root + d));                     // avoids cancellation
  }
}

}  // namespace

const mt_op_decl pseudo_huber = {
    .name = "pseudo_huber",
    .signature = "[res] x:tensor delta:number=1",
    .doc =
        "sqrt(x^2 + delta^2) - delta, elementwise, delta above 0: x^2 / (2 delta) near 0, |x| - delta far from it. "
        "Source: Charbonnier et al. (1997), IEEE Transactions on Image Processing 6(2).",
    .samples = "{randn(3, 4)}, {randn(3, 4), 2}, {full(1e4)}, {full(-inf)}, {full(nan)}, {randn(0)}",
    .result = "float",
    .gradients = {"cmul(g, cdiv(x, add(result, delta)))"},
    .loops = {.float32 = loop<float>, .float64 = loop<double>},
};
