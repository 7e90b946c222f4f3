// Convolutions: by the vendor's library (cuda/vendor/dnn.h) if it supports them, else by the matrix product of conv_product.cu.
#include "cuda/kernels/conv_factors.h"
#include "cuda/kernels/conv_product.h"
#include "cuda/kernels/copy.h"
#include "cuda/kernels/register.h"
#include "cuda/kernels/sum_parts.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/vendor/dnn.h"

namespace mt::cuda {
namespace {

// Sums of the channels of y, in double; each block adds one part of a channel. With channels last, a block adds as many channels as a warp
// has lanes.
template <class T> struct ChannelSumsKernel {
  const T* y;
  int64_t channels, points, count;  // count: number of elements of a channel
  ConvLayout lies;
  int side_by_side;
  int64_t channel_blocks, part_length;
  double* parts;

  MT_DEVICE double sum(int64_t channel, int64_t first, int64_t last, int stride) const {
    double sum = 0;
    for (int64_t i = first; i < last; i += stride) {
      const int64_t batch = i / points;
      sum += static_cast<double>(y[batch * lies.batch + channel * lies.channel + (i - batch * points) * lies.place]);
    }
    return sum;
  }
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<double> sums = t.shared<double>(block_threads);
    const int64_t part = t.block() / channel_blocks, begin = part * part_length;
    const int64_t end = begin + part_length < count ? begin + part_length : count;
    const int64_t channel = t.block() % channel_blocks * side_by_side + t.index() % side_by_side;
    const bool is_inside = channel < channels;
    const double own = is_inside ? sum(channel, begin + t.index() / side_by_side, end, block_threads / side_by_side) : 0;
    sums.set(t.index(), own);
    for (int half = block_threads / 2; half >= side_by_side; half /= 2) {
      t.barrier();
      if (t.index() < half) sums.set(t.index(), sums.get(t.index()) + sums.get(t.index() + half));
    }
    if (t.index() < side_by_side && is_inside) parts[part * channels + channel] = sums.get(t.index());
  }
};

template <class T> void sum_channels(Stream stream, const ConvPlan& plan) {
  constexpr int64_t least_length = 16384, most_parts = 256;
  const ConvShape& s = plan.shape;
  const int side_by_side = plan.layout == ImageLayout::channels_last ? warp_size : 1;
  const int64_t count = s.batch * s.points(), parts = std::clamp<int64_t>(count / least_length, 1, most_parts);
  const int64_t channel_blocks = (s.out + side_by_side - 1) / side_by_side;
  const Scratch<double> space(stream, parts * s.out);
  launch(stream, channel_blocks * parts, block_threads, block_threads * sizeof(double),
         ChannelSumsKernel<T>{elements<T>(plan.y), s.out, s.points(), count, ConvLayout(plan.layout, s.out, s.points()), side_by_side,
                              channel_blocks, (count + parts - 1) / parts, space.data()});
  sum_parts(stream, space.data(), parts, s.out, elements<T>(plan.bias));
}

// Adds the bias to images: with channels first the positions of a channel are contiguous, with channels last the channels are.
template <class T> struct AddBiasKernel {
  T* images;
  const T* bias;
  int64_t n, places, channels;  // places: number of contiguous positions of a channel
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) images[i] += bias[i / places % channels];
  }
};

template <class T> void add_bias(Stream stream, const ConvPlan& plan) {
  const ConvShape& s = plan.shape;
  const bool of_x = plan.pass == ConvPass::input_grad;
  const Tensor& images = of_x ? plan.x : plan.y;
  const int64_t places = plan.layout == ImageLayout::channels_last ? 1 : of_x ? s.image() : s.points();
  launch_each(stream, images.numel(),
              AddBiasKernel<T>{elements<T>(images), elements<T>(plan.bias), images.numel(), places, of_x ? s.in : s.out});
}

// A weight in the layout that libraries need for channels last: sizes (out, in / groups, taps), in memory (out, taps, in / groups).
Tensor weight_with_channels_last(const ConvPlan& plan) {
  const ConvShape& s = plan.shape;
  const int64_t in = s.in / s.groups, taps = s.taps(), sizes[] = {s.out, in, taps}, strides[] = {in * taps, 1, in};
  Tensor weight = Tensor::empty(plan.weight.dtype(), {s.out, taps, in}, plan.weight.device());
  weight.set_geometry(0, sizes, strides);
  return weight;
}

// Computes the result without bias by the library; returns false if it doesn't support the convolution.
bool run_by_library(Stream stream, const ConvPlan& plan) {
  const dnn::Convolution convolution{plan.x.dtype(), plan.pass, plan.shape, plan.layout};
  if (!dnn::takes(stream, convolution)) return false;
  const auto convolve = [&](const Tensor& weight) { dnn::convolve(stream, convolution, plan.x.bytes(), weight.bytes(), plan.y.bytes()); };
  if (plan.layout == ImageLayout::channels_first || plan.shape.taps() == 1) {
    convolve(plan.weight);
    return true;
  }
  const Tensor weight = weight_with_channels_last(plan);
  if (plan.pass != ConvPass::weight_grad) copy_elements(weight, plan.weight);
  convolve(weight);
  if (plan.pass == ConvPass::weight_grad) copy_elements(plan.weight, weight);
  return true;
}

template <class T> void run_as(const ConvPlan& plan) {
  const Stream stream = op_stream();
  const bool of_weight = plan.pass == ConvPass::weight_grad;
  if (of_weight) sum_channels<T>(stream, plan);
  if (of_weight && plan.weight.numel() == 0) return;
  if (!run_by_library(stream, plan)) return multiply_convolution(stream, plan);
  if (!of_weight && plan.bias.storage() != nullptr) add_bias<T>(stream, plan);
}

void run_conv(const ConvPlan& plan) { (plan.x.dtype() == DType::float32 ? run_as<float> : run_as<double>)(plan); }

}  // namespace

KernelRows conv_rows() {
  static constexpr Kernel run = kernel<&run_conv>();
  static constexpr KernelRow rows[] = {{"conv1d", run},
                                       {"conv2d", run},
                                       {"conv3d", run},
                                       {"conv1d_input_grad", run},
                                       {"conv2d_input_grad", run},
                                       {"conv3d_input_grad", run},
                                       {"conv1d_weight_grad", run},
                                       {"conv2d_weight_grad", run},
                                       {"conv3d_weight_grad", run},
                                       {"convTranspose1d", run},
                                       {"convTranspose2d", run},
                                       {"convTranspose3d", run}};
  return rows;
}

}  // namespace mt::cuda
