// What a device provides for the cells in recurrent-inl.h; shapes, dtypes and results are dealt with before. All is contiguous, float32 or
// float64.
#pragma once

#include "engine/core/registry.h"

namespace mt {

struct LstmForward {
  int64_t batch, size;
  const std::byte *x, *c0;
  std::byte *h, *c, *gates;
};
struct LstmBackward {
  int64_t batch, size;
  const std::byte *gh, *gc, *gates, *c0, *c;  // gh and gc may be null
  std::byte *gx, *gc0;
};
struct GruForward {
  int64_t batch, size;
  const std::byte *x, *y, *h0;
  std::byte *h, *gates;
};
struct GruBackward {
  int64_t batch, size;
  const std::byte *g, *gates, *y, *h0;
  std::byte *gx, *gy, *gh0;
};

struct RecurrentKernels {
  void (*lstm)(DType dtype, const LstmForward& operands);
  void (*lstm_grad)(DType dtype, const LstmBackward& operands);
  void (*gru)(DType dtype, const GruForward& operands);
  void (*gru_grad)(DType dtype, const GruBackward& operands);
};

}  // namespace mt
