// Fourier transforms and windows. Complex numbers have a last dimension of two parts.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

// The first elements of a dimension, or zeros behind it.
Tensor with_length(const NodeRun& n, const Tensor& x, int dim, int64_t length) {
  if (length <= x.size(dim)) return n.narrowed(x, dim, 0, length);
  return n.padded(x, dim, 0, length - x.size(dim), 0);
}

// The transform of a dimension of x (..., 1 or 2).
Tensor transformed(const NodeRun& n, const Tensor& x, int dim, bool is_inverse, bool is_onesided) {
  const int last = x.dim() - 1;
  if (is_inverse) {
    Tensor complex = x;
    if (is_onesided) {  // the others are conjugates, and the result is real
      const int64_t length = 2 * (x.size(dim) - 1);
      const Tensor real = n.eval("(x, dim, size) fft_c2r(x, dim, 'by_n', size)", {x, dimension(dim), Operand(length)});
      Shape sizes = real.sizes();
      sizes.push(1);
      return n.reshaped(real, sizes);
    }
    if (x.size(last) == 1) {
      const Tensor parts[] = {x, n.eval("(x) mul(x, 0)", {x})};
      complex = n.concatenated(parts, last);
    }
    return n.eval("(x, dim) fft_c2c(x, dim, 'by_n', false)", {complex, dimension(dim)});
  }
  if (x.size(last) == 2) {
    const Tensor y = n.eval("(x, dim) fft_c2c(x, dim, 'none', true)", {x, dimension(dim)});
    return is_onesided ? n.narrowed(y, dim, 0, x.size(dim) / 2 + 1) : y;
  }
  Shape sizes = x.sizes();
  sizes.erase(last);
  return n.eval("(x, dim, onesided) fft_r2c(x, dim, 'none', onesided)", {n.reshaped(x, sizes), dimension(dim), is_onesided});
}

void dft(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const int64_t parts = x.size(x.dim() - 1);
  if (x.dim() < 2 || (parts != 1 && parts != 2)) n.refuse(concat("a last dimension of ", parts), "1 or 2 parts of a number");
  const int dim = n.version() < 20 ? n.axis_attribute(1, x.dim()) : n.axis(n.has(2) ? n.integer(size_t{2}) : -2, x.dim());
  if (dim == x.dim() - 1) n.refuse("the dimension of parts", "another one");
  const bool is_inverse = n.integer("inverse", 0) != 0, is_onesided = n.integer("onesided", 0) != 0;
  int64_t length = n.has(1) ? n.integer(size_t{1}) : x.size(dim);
  if (length <= 0) n.refuse(concat("a length of ", length), "at least 1");
  if (is_inverse && is_onesided) length = length / 2 + 1;
  n.give(transformed(n, n.has(1) ? with_length(n, x, dim, length) : x, dim, is_inverse, is_onesided));
}

void stft(NodeRun& n) {
  const Tensor& x = n.tensor(0, 3);  // (batch, length, parts)
  const int64_t step = n.integer(size_t{1}), given = n.has(3) ? n.integer(size_t{3}) : x.size(1);
  const int64_t length = n.has(2) ? n.tensor(2).numel() : given;
  if (step <= 0 || length <= 0 || length > x.size(1))
    n.refuse(concat("frames of ", length, ", ", step, " apart"), concat("1..", x.size(1)));
  Tensor frames = n.permuted(n.eval("(x, size, step) unfold(x, 2, size, step)", {x, Operand(length), Operand(step)}), {0, 1, 3, 2});
  if (n.has(2)) frames = n.eval("(x, w) cmul(x, w)", {frames, n.broadcast({n.reshaped(n.tensor(2), Shape{length, 1})}, frames.sizes())});
  n.give(transformed(n, frames, 2, false, n.integer("onesided", 1) != 0));
}

// A sum of cosines: sum of a_k cos(2 pi k i / n).
void window(NodeRun& n, std::initializer_list<double> factors) {
  const int64_t size = n.integer(size_t{0});
  if (size < 0) n.refuse(concat("a size of ", size), "at least 0");
  const int64_t period = n.integer("periodic", 1) != 0 ? size : size - 1;
  Tensor made = Tensor::empty(DType::float64, {size});
  for (int64_t i = 0; i < size; ++i) {
    double sum = 0, k = 0;
    for (const double factor : factors)
      sum += factor * std::cos(2 * std::numbers::pi * k++ * static_cast<double>(i) / static_cast<double>(std::max<int64_t>(period, 1)));
    made.data<double>()[i] = sum;
  }
  n.give(n.converted(made, dtype_of_elements(n.integer("output_datatype", 1)).value_or(DType::float32)));
}

// Harris (1978), "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc. IEEE 66.
void hann_window(NodeRun& n) { window(n, {0.5, -0.5}); }
void hamming_window(NodeRun& n) { window(n, {25.0 / 46, -21.0 / 46}); }
void blackman_window(NodeRun& n) { window(n, {0.42, -0.5, 0.08}); }

// Triangles of height 1 on the mel scale, mel(f) = 2595 log10(1 + f / 700), with edges rounded down to frequencies of the transform.
void mel_weight_matrix(NodeRun& n) {
  const int64_t bins = n.integer(size_t{0}), length = n.integer(size_t{1}), rate = n.integer(size_t{2});
  const double low = n.number(size_t{3}), high = n.number(size_t{4});
  if (bins <= 0 || length <= 0 || rate <= 0) n.refuse("sizes that are not positive", "positive ones");
  const int64_t rows = length / 2 + 1;
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double m = mel(low) + static_cast<double>(i) * (mel(high) - mel(low)) / static_cast<double>(bins + 2);
    const double f = 700 * (std::pow(10, m / 2595) - 1);
    edges.push_back(static_cast<int64_t>(std::floor(static_cast<double>(length + 1) * f / static_cast<double>(rate))));
  }
  Tensor made = Tensor::empty(DType::float64, {rows, bins});
  std::fill_n(made.data<double>(), made.numel(), 0.0);
  for (int64_t i = 0; i < bins; ++i) {
    const auto k = static_cast<size_t>(i);
    const int64_t first = edges[k], peak = edges[k + 1], end = edges[k + 2];
    const auto set = [&](int64_t at, double value) {
      if (at >= 0 && at < rows) made.data<double>()[at * bins + i] = value;
    };
    if (peak == first) set(peak, 1);
    for (int64_t f = first; f <= peak && peak > first; ++f) set(f, static_cast<double>(f - first) / static_cast<double>(peak - first));
    for (int64_t f = peak; f < end; ++f) set(f, static_cast<double>(end - f) / static_cast<double>(end - peak));
  }
  n.give(n.converted(made, dtype_of_elements(n.integer("output_datatype", 1)).value_or(DType::float32)));
}

constexpr NodeKind kinds[] = {
    {"BlackmanWindow", blackman_window},    {"DFT", dft},   {"HammingWindow", hamming_window}, {"HannWindow", hann_window},
    {"MelWeightMatrix", mel_weight_matrix}, {"STFT", stft},
};

}  // namespace

std::span<const NodeKind> signal_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
