// Convolutions of prepared runs by oneDNN: compiled once, with the weight in the kernel's layout, and with sums and ReLU in the kernel.
#pragma once

#include <memory>

#include "engine/ops/conv.h"

namespace mt::cpu {

// The part that is the same in all runs. Several threads may use it.
class DnnlConvolution {
 public:
  virtual ~DnnlConvolution() = default;
  // The blocks of channels (engine/core/image_blocks.h) in the layout that the kernel prefers for x and y; 0 if it prefers another one.
  virtual int64_t x_block() const = 0;
  virtual int64_t y_block() const = 0;
  virtual const ConvShape& shape() const = 0;
  virtual int64_t scratch_bytes() const = 0;
};

struct DnnlConvolutionKey {
  ConvShape shape;
  int64_t with_bias, adds, relu, threads;
  double most;  // of the rectifier

  // Parts of the batch, each of which one thread of the engine's runs. Whoever alternates between these threads and oneDNN's waits for them
  // to wake up, and images stay in the cache of the same processor.
  int64_t parts() const { return shape.batch % threads == 0 ? threads : 1; }
};

// Null if oneDNN is absent or has no kernel.
std::shared_ptr<const DnnlConvolution> dnnl_convolution(const DnnlConvolutionKey& key, const float* weight);

// Memory of a run. A flag is set if x, added or y is in the kernel's layout; otherwise channels come first.
struct DnnlOperands {
  float *x, *bias, *added, *y;
  std::byte* scratch;
  bool own_x, own_added, own_y;
  bool operator==(const DnnlOperands&) const = default;
};

// Runs a convolution again and again in the same memory.
class DnnlRun {
 public:
  virtual ~DnnlRun() = default;
  virtual void run() = 0;
  virtual const DnnlOperands& operands() const = 0;
};
std::unique_ptr<DnnlRun> dnnl_run(std::shared_ptr<const DnnlConvolution> convolution, const DnnlOperands& operands);

}  // namespace mt::cpu
