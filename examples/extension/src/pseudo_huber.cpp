// pseudo_huber: an elementwise op. Its loop is all there is to write; sizes, strides, dtypes and threads are the engine's.
#include <cmath>

#include "ops.h"

namespace {

template <class T> void loop(int64_t n, void* const* operands) {
  T* y = static_cast<T*>(operands[0]);
  const T *x = static_cast<const T*>(operands[1]), *delta = static_cast<const T*>(operands[2]);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * (x[i] / (std::hypot(x[i], delta[i]) + delta[i]));  // no square that overflows or cancels
}

}  // namespace

const mt_op_decl pseudo_huber = {
    .name = "pseudo_huber",
    .signature = "[res] x:tensor delta:tensor|number=1",
    .doc =
        "sqrt(x^2 + delta^2) - delta, elementwise, delta above 0: about x^2 / (2 delta) near 0, |x| - delta far from it. Source: "
        "Charbonnier et "
        "al. (1997), IEEE Transactions on Image Processing 6(2). It is a constant by delta to the tape.",
    .samples = "{randn(3, 4)}, {randn(3, 4), 2}, {randn(3, 4), positive(4)}, {full(1e4)}, {full(-inf)}, {randn(0)}",
    .result = "float",
    .gradients = {"cmul(g, cdiv(x, add(result, delta)))"},
    .loops = {.float32 = loop<float>, .float64 = loop<double>},
};
