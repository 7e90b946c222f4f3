// The CPU's kernel of convolutions: the choice of the method, and the methods by matrix products. Unfolding copies the patch under each
// window to a column, so that a convolution is a matrix product of an image; a 1x1 kernel needs no copy.
// Zen 4, float32, one thread, reorders and copies included (oneDNN / unfolded, GFLOP/s):
//   5x5, 128 x 32 x 12 x 12 to 64: 105 / 66;  3x3, 32 x 64 x 32 x 32 to 64: 109 / 79;  1x1, 32 x 64 x 32 x 32 to 128: 74 / 65
#include "engine/cpu/conv.h"

#include <algorithm>
#include <cstring>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/blas.h"
#include "engine/cpu/depthwise.h"
#include "engine/cpu/dnnl.h"
#include "engine/cpu/few_channels.h"
#include "engine/cpu/packed_conv.h"
#include "engine/cpu/register.h"
#include "engine/cpu/transpose.h"
#include "engine/cpu/winograd.h"
#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/conv-inl.h"
}

namespace mt::cpu {
namespace {

constexpr int64_t dnnl_pays = 150'000;    // multiplications: below, creating oneDNN's objects for a call takes longer than the call
constexpr int64_t long_rows = 128;        // points: from here on the gradient of a 1x1 kernel is as fast without oneDNN's reorders
constexpr int64_t narrow_input = 8;       // channels: oneDNN's gradient of an input with fewer wastes most of each vector
constexpr int64_t grain_of_copy = 32768;  // elements per thread

bool is_narrow(ConvPass pass, const ConvShape& s) { return pass == ConvPass::input_grad && s.groups == 1 && s.in < narrow_input; }
bool is_pointwise(const ConvShape& s) { return s.axes[0].plain() && s.axes[1].plain() && s.axes[2].plain(); }

// The outputs along an axis whose tap is inside the input: [first, last).
struct Range {
  int64_t first, last;
};
Range inside(const ConvAxis& axis, int64_t tap) {
  const int64_t out = axis.out(), lowest = axis.pad - tap * axis.dilation;  // of stride * output
  const int64_t first = lowest <= 0 ? 0 : (lowest + axis.stride - 1) / axis.stride;
  const int64_t last = axis.size + lowest <= 0 ? 0 : (axis.size + lowest - 1) / axis.stride + 1;
  return {std::min(first, out), std::clamp(last, std::min(first, out), out)};
}

// Calls f(element of the channel, or null outside, first output, count) for each run of a row of the patch matrix.
template <class T, class F> void iterate_patch_row(const ConvShape& s, T* channel, int64_t tap, F&& f) {
  const auto& [depth, height, width] = s.axes;
  const int64_t taps[] = {tap / (height.kernel * width.kernel), tap / width.kernel % height.kernel, tap % width.kernel};
  const int64_t out_d = depth.out(), out_h = height.out(), out_w = width.out();
  const Range columns = inside(width, taps[2]);
  const int64_t left = columns.first * width.stride - width.pad + taps[2] * width.dilation;
  for (int64_t slice = 0; slice < out_d; ++slice) {
    const int64_t front = slice * depth.stride - depth.pad + taps[0] * depth.dilation;
    for (int64_t row = 0; row < out_h; ++row) {
      const int64_t top = row * height.stride - height.pad + taps[1] * height.dilation, at = (slice * out_h + row) * out_w;
      if (front < 0 || front >= depth.size || top < 0 || top >= height.size || columns.first == columns.last) {
        f(static_cast<T*>(nullptr), at, out_w);
        continue;
      }
      if (columns.first > 0) f(static_cast<T*>(nullptr), at, columns.first);
      f(channel + (front * height.size + top) * width.size + left, at + columns.first, columns.last - columns.first);
      if (columns.last < out_w) f(static_cast<T*>(nullptr), at + columns.last, out_w - columns.last);
    }
  }
}

// Copies the patches of the channels of one group of one image to a matrix (patch, points).
template <class T> void unfold(const ConvShape& s, const T* image, T* patches) {
  const int64_t taps = s.taps(), points = s.points(), stride = s.axes[2].stride, channel = s.image();
  parallel_for(s.patch(), std::max<int64_t>(1, grain_of_copy / points), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* const row = patches + i * points;
      iterate_patch_row(s, image + i / taps * channel, i % taps, [&](const T* from, int64_t at, int64_t n) {
        if (!from)
          std::fill_n(row + at, n, T(0));
        else if (stride == 1)
          std::memcpy(row + at, from, static_cast<size_t>(n) * sizeof(T));
        else
          for (int64_t j = 0; j < n; ++j) row[at + j] = from[j * stride];
      });
    }
  });
}

// The transpose of unfold: adds each patch element to the element that it was copied from.
template <class T> void fold(const ConvShape& s, const T* patches, T* image) {
  const int64_t taps = s.taps(), points = s.points(), stride = s.axes[2].stride, channel = s.image();
  parallel_for(s.in / s.groups, std::max<int64_t>(1, grain_of_copy / (taps * points)), [&](int64_t begin, int64_t end) {
    std::fill_n(image + begin * channel, (end - begin) * channel, T(0));
    for (int64_t i = begin * taps; i < end * taps; ++i) {
      const T* const row = patches + i * points;
      iterate_patch_row(s, image + i / taps * channel, i % taps, [&](T* to, int64_t at, int64_t n) {
        if (!to) return;
        const T* const from = row + at;
        if (stride == 1)
          for (int64_t j = 0; j < n; ++j) to[j] += from[j];
        else
          for (int64_t j = 0; j < n; ++j) to[j * stride] += from[j];
      });
    }
  });
}

template <class T> void sum_channels(const ConvShape& s, const T* y, T* bias) {
  const int64_t points = s.points();
  parallel_for(s.out, std::max<int64_t>(1, grain_of_copy / std::max<int64_t>(1, s.batch * points)), [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel) {
      double sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        const T* const plane = y + (n * s.out + channel) * points;
        double parts[8] = {};  // independent sums, so that additions overlap
        for (int64_t i = 0; i < points; ++i) parts[i % 8] += static_cast<double>(plane[i]);
        for (const double part : parts) sum += part;
      }
      bias[channel] = static_cast<T>(sum);
    }
  });
}

// One image and group: the operands of its matrix product.
template <class T> struct Piece {
  T *image, *bias;
  MatrixView<T> weight, patches, y;
};

template <class T> void run_piece(ConvPass pass, const ConvShape& s, const Piece<T>& p, bool first_image) {
  switch (pass) {
    case ConvPass::forward:
      if (!is_pointwise(s)) unfold(s, p.image, p.patches.data);
      if (p.bias)
        for (int64_t row = 0; row < p.y.rows; ++row) std::fill_n(p.y.data + row * p.y.cols, p.y.cols, p.bias[row]);
      return gemm<T>(1, p.weight, p.patches, p.bias ? T(1) : T(0), p.y);
    case ConvPass::input_grad:
      gemm<T>(1, p.weight.transposed(), p.y, 0, p.patches);
      if (!is_pointwise(s)) fold(s, p.patches.data, p.image);
      return;
    case ConvPass::weight_grad:
      if (!is_pointwise(s)) unfold(s, p.image, p.patches.data);
      return gemm<T>(1, p.y, p.patches.transposed(), first_image ? T(0) : T(1), p.weight);
  }
}

template <class T> void run_images(ConvPass pass, const ConvShape& s, T* x, T* weight, T* bias, T* y, int64_t begin, int64_t end) {
  const int64_t points = s.points(), patch = s.patch(), out = s.out / s.groups, in = s.in / s.groups, channel = s.image();
  const Tensor buffer = is_pointwise(s) ? Tensor() : Tensor::empty(dtype_of<T>, {patch * points});
  for (int64_t n = begin; n < end; ++n) {
    look_for_interrupt();
    for (int64_t g = 0; g < s.groups; ++g) {
      T* const image = x + (n * s.in + g * in) * channel;
      const Piece<T> piece{image,
                           bias ? bias + g * out : nullptr,
                           {weight + g * out * patch, out, patch, patch, 1},
                           {is_pointwise(s) ? image : buffer.data<T>(), patch, points, points, 1},
                           {y + (n * s.out + g * out) * points, out, points, points, 1}};
      run_piece(pass, s, piece, n == 0);
    }
  }
}

}  // namespace

ConvMethod conv_method(ConvPass pass, const ConvShape& s, bool is_float32) {
  if (suits_depthwise(s)) return ConvMethod::depthwise;
  if (suits_few_channels(pass, s)) return ConvMethod::few_channels;
  if (is_pointwise(s) && (pass == ConvPass::input_grad || (pass == ConvPass::weight_grad && s.points() >= long_rows)))
    return ConvMethod::product;
  if (is_float32 && suits_winograd(s)) return ConvMethod::winograd;
  if (is_float32 && !is_narrow(pass, s) && s.work() >= dnnl_pays && has_dnnl()) return ConvMethod::dnnl;
  if (suits_depthwise_taps(pass, s)) return ConvMethod::depthwise_taps;
  if (is_pointwise(s)) return ConvMethod::product;
  return fits_few_channels(pass, s) ? ConvMethod::few_channels : ConvMethod::unfold;
}

template <class T> void plain_conv(ConvPass pass, const ConvShape& s, T* x, T* weight, T* bias, T* y) {
  if (pass == ConvPass::weight_grad && bias) sum_channels(s, y, bias);
  if (s.batch == 0) {
    if (pass == ConvPass::weight_grad) std::fill_n(weight, s.out * s.patch(), T(0));
    return;
  }
  // Images run in parallel if each has a separate result; the gradient of the weight adds them in order.
  if (pass == ConvPass::weight_grad || s.batch < num_threads()) return run_images(pass, s, x, weight, bias, y, 0, s.batch);
  const int64_t grain = std::max<int64_t>(1, grain_of_copy * s.batch / std::max<int64_t>(1, s.work()));
  parallel_ranges(s.batch, grain, [&](int64_t begin, int64_t end) { run_images(pass, s, x, weight, bias, y, begin, end); });
}

template <class T> void conv(ConvPass pass, const ConvShape& s, T* x, T* weight, T* bias, T* y) {
  const auto bytes = [](T* operand) { return reinterpret_cast<std::byte*>(operand); };
  if (s.batch > 0) {
    const ConvMethod method = conv_method(pass, s, std::is_same_v<T, float>);
    if (method == ConvMethod::depthwise) return depthwise_conv(dtype_of<T>, pass, s, bytes(x), bytes(weight), bytes(bias), bytes(y));
    if (method == ConvMethod::few_channels) return few_channels_conv(dtype_of<T>, s, bytes(x), bytes(weight), bytes(bias), bytes(y));
    if (method == ConvMethod::depthwise_taps) return depthwise_taps(dtype_of<T>, s, bytes(x), bytes(weight), bytes(bias), bytes(y));
    if constexpr (std::is_same_v<T, float>) {
      if (method == ConvMethod::winograd) {
        if (pass == ConvPass::weight_grad && bias) sum_channels(s, y, bias);
        return winograd_conv(pass, s, x, weight, bias, y);
      }
      if (method == ConvMethod::dnnl && dnnl_conv(pass, s, ImageLayout::channels_first, x, weight, bias, y)) return;
    }
  }
  plain_conv(pass, s, x, weight, bias, y);
}

// By oneDNN, which supports this layout; else, or if Winograd's method is faster, through copies with channels first.
template <class T> void conv_channels_last(ConvPass pass, const ConvShape& s, T* x, T* weight, T* bias, T* y) {
  if constexpr (std::is_same_v<T, float>)
    if (s.batch > 0 && s.work() >= dnnl_pays && !is_narrow(pass, s) && !suits_winograd(s) &&
        dnnl_conv(pass, s, ImageLayout::channels_last, x, weight, bias, y))
      return;
  const auto bytes = [](T* operand) { return reinterpret_cast<std::byte*>(operand); };
  const Images in{s.batch, s.in, s.image(), sizeof(T)}, out{s.batch, s.out, s.points(), sizeof(T)};
  const auto copy_of = [&](const Images& images, T* from, bool is_result) {
    const Tensor space = Tensor::empty(dtype_of<T>, {images.batch * images.channels * images.points});
    if (!is_result) lay_out(images, ImageLayout::channels_first, bytes(from), space.bytes());
    return space;
  };
  const Tensor first_x = copy_of(in, x, pass == ConvPass::input_grad), first_y = copy_of(out, y, pass == ConvPass::forward);
  conv(pass, s, first_x.data<T>(), weight, bias, first_y.data<T>());
  if (pass == ConvPass::forward) lay_out(out, ImageLayout::channels_last, first_y.bytes(), bytes(y));
  if (pass == ConvPass::input_grad) lay_out(in, ImageLayout::channels_last, first_x.bytes(), bytes(x));
}

template void conv<float>(ConvPass, const ConvShape&, float*, float*, float*, float*);
template void conv<double>(ConvPass, const ConvShape&, double*, double*, double*, double*);
template void conv_channels_last<float>(ConvPass, const ConvShape&, float*, float*, float*, float*);
template void conv_channels_last<double>(ConvPass, const ConvShape&, double*, double*, double*, double*);
template void plain_conv<float>(ConvPass, const ConvShape&, float*, float*, float*, float*);
template void plain_conv<double>(ConvPass, const ConvShape&, double*, double*, double*, double*);

namespace {

// Adds bias[c] to the elements of each channel c of y (batch, channels, points).
template <class T> void add_bias(int64_t batch, int64_t channels, int64_t points, const T* bias, T* y) {
  parallel_for(batch * channels, std::max<int64_t>(1, grain_of_copy / points), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin, channel = begin % channels; i < end; ++i) {
      for (int64_t j = i * points; j < (i + 1) * points; ++j) y[j] += bias[channel];
      if (++channel == channels) channel = 0;
    }
  });
}

template <class T> void run_as(const ConvPlan& plan) {
  const ConvShape s = plan.shape.along_rows();
  T *const x = plan.x.data<T>(), *const bias = plan.bias.data<T>();
  const bool last = plan.layout == ImageLayout::channels_last, of_x = plan.pass == ConvPass::input_grad;
  (last ? conv_channels_last<T> : conv<T>)(plan.pass, s, x, plan.weight.data<T>(), of_x ? nullptr : bias, plan.y.data<T>());
  if (of_x && bias) add_bias(last ? s.batch * s.image() : s.batch, s.in, last ? 1 : s.image(), bias, x);
}

}  // namespace

void run_conv(const ConvPlan& plan) { (plan.x.dtype() == DType::float32 ? run_as<float> : run_as<double>)(plan); }

namespace {

template <class Op, void (*plan)(Call&, int), int dims> constexpr Row row() {
  return {&Op::decl, &plan_in<plan, dims>, kernel<&run_conv>()};
}

constexpr Row rows[] = {row<Conv1d, plan_conv, 1>(),
                        row<Conv2d, plan_conv, 2>(),
                        row<Conv3d, plan_conv, 3>(),
                        row<Conv1dInputGrad, plan_conv_input_grad, 1>(),
                        row<Conv2dInputGrad, plan_conv_input_grad, 2>(),
                        row<Conv3dInputGrad, plan_conv_input_grad, 3>(),
                        row<Conv1dWeightGrad, plan_conv_weight_grad, 1>(),
                        row<Conv2dWeightGrad, plan_conv_weight_grad, 2>(),
                        row<Conv3dWeightGrad, plan_conv_weight_grad, 3>(),
                        row<ConvTranspose1d, plan_conv_transpose, 1>(),
                        row<ConvTranspose2d, plan_conv_transpose, 2>(),
                        row<ConvTranspose3d, plan_conv_transpose, 3>()};

struct ConvUnit {
  static constexpr Decl decl{
      .name = "conv2d_unit",
      .signature =
          "[res] x:tensor weight:tensor bias:tensor? added:tensor? relu:boolean=false strideH:int=1 "
          "strideW:int=1 padH:int=0 padW:int=0 dilationH:int=1 dilationW:int=1 groups:int=1 most:number=inf",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc = "relu(conv2d(x, weight, bias, ...) + added), up to `most`, where added, of the result's sizes, and relu may be left out."};
};

}  // namespace

std::span<const Row> conv_rows() {
  static const bool packs = (add_conv_packing(kernel<&run_conv>(), conv_unit_op().kernel), true);
  static_cast<void>(packs);
  return built_rows<rows>();
}

}  // namespace mt::cpu

namespace mt {

const Op& conv_unit_op() {
  using cpu::ConvUnit;
  static const Op op{&ConvUnit::decl, &plan_conv_unit, kernel<&cpu::run_conv_unit>(), nullptr,
                     parse_forms(ConvUnit::decl.signature, ConvUnit::decl.name, ConvUnit::decl.forms, ConvUnit::decl.method_forms)};
  return op;
}

}  // namespace mt
