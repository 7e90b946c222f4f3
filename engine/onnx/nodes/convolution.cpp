// Convolutions of one to three dimensions.
#include <algorithm>

#include "engine/onnx/integers.h"
#include "engine/onnx/node_kind.h"
#include "engine/onnx/quantize.h"
#include "engine/onnx/windows.h"

namespace mt::onnx {
namespace {

std::vector<int64_t> kernel_of(Sizes weight) {
  return {weight.begin() + std::min<int64_t>(2, static_cast<int64_t>(weight.size())), weight.end()};
}

[[noreturn]] void refuse_dimensions(const NodeRun& n, size_t dims) { n.refuse(concat("pictures of ", dims, " dimensions"), "1 to 3"); }

Tensor convolved(const NodeRun& n, const Tensor& x, const Tensor& weight, const Operand& bias) {
  Windows w = windows_of(n, x.sizes(), kernel_of(weight.sizes()));
  const Tensor padded = w.is_symmetric() ? x : with_borders(n, x, w, 0);
  if (!w.is_symmetric()) w.before.assign(w.dims(), 0);
  const auto &s = w.strides, &p = w.before, &d = w.dilations;
  const Operand groups(n.integer("group", 1));
  if (w.dims() == 1)
    return n.eval("(x, weight, bias, s, p, d, groups) conv1d(x, weight, bias, s, p, d, groups)",
                  {padded, weight, bias, s[0], p[0], d[0], groups});
  if (w.dims() == 2)
    return n.eval("(x, weight, bias, s1, s2, p1, p2, d1, d2, groups) conv2d(x, weight, bias, s1, s2, p1, p2, d1, d2, groups)",
                  {padded, weight, bias, s[0], s[1], p[0], p[1], d[0], d[1], groups});
  if (w.dims() == 3)
    return n.eval(
        "(x, weight, bias, s1, s2, s3, p1, p2, p3, d1, d2, d3, groups) conv3d(x, weight, bias, s1, s2, s3, p1, p2, p3, d1, d2, d3, "
        "groups)",
        {padded, weight, bias, s[0], s[1], s[2], p[0], p[1], p[2], d[0], d[1], d[2], groups});
  refuse_dimensions(n, w.dims());
}

void conv(NodeRun& n) { n.give(convolved(n, n.tensor(0), n.tensor(1), n.optional(2))); }

// ---- of integers: by kernels for 8 bits, or exact in float64

// Integers minus their zero point, of which there is one for all or one for each slice of the first dimension.
Tensor centered(const NodeRun& n, size_t i, size_t zero) {
  const Tensor& x = n.tensor(i);
  const Tensor wide = n.converted(x, DType::float64);
  if (!n.has(zero)) return wide;
  Tensor z = n.converted(n.tensor(zero), DType::float64);
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
  sizes[0] = z.numel();
  return n.eval("(x, zero) csub(x, zero)", {wide, n.broadcast({n.reshaped(z, sizes)}, x.sizes())});
}

// The sums of a convolution of these inputs, as integers or as float64.
Tensor sums_of(const NodeRun& n, const Integers& x, const Integers& weight) {
  const Windows windows = windows_of(n, n.sizes(x.elements), kernel_of(n.sizes(weight.elements)));
  if (const auto sums = integer_convolution(n, x, weight, windows)) return *sums;
  return convolved(n, centered(n, x.elements, x.zero), centered(n, weight.elements, weight.zero), Operand::absent());
}

void conv_integer(NodeRun& n) { n.give(n.converted(sums_of(n, {0, 2}, {1, 3}), DType::int32)); }

// A scale or a bias for each channel of the result, or for all.
Tensor in_channels(const NodeRun& n, size_t i, const Tensor& like) { return n.by_channel(n.converted(n.tensor(i), DType::float64), like); }

void q_linear_conv(NodeRun& n) {
  Tensor sums = n.converted(sums_of(n, {0, 2}, {3, 5}), DType::float64);
  if (n.has(8)) sums = n.eval("(x, bias) add(x, bias)", {sums, in_channels(n, 8, sums)});
  const Tensor exact = n.eval("(x, a, b) cmul(cmul(x, a), b)", {sums, in_channels(n, 1, sums), in_channels(n, 4, sums)});
  n.give(quantized(n, n.converted(exact, DType::float32), n.converted(in_channels(n, 6, sums), DType::float32), in_channels(n, 7, sums),
                   n.dtype(7)));
}

// The whole result, of which borders are cut off, or to which zeros are added.
void conv_transpose(NodeRun& n) {
  Windows w = windows_of(n, n.sizes(0), kernel_of(n.sizes(1)));
  const Tensor &x = n.tensor(0), &weight = n.tensor(1);
  const size_t dims = w.dims();
  const std::vector<int64_t> more = n.integers("output_padding").value_or(std::vector<int64_t>(dims, 0));
  const auto wanted = n.integers("output_shape");
  if (more.size() != dims || (wanted && wanted->size() != dims)) n.refuse("output sizes of another number", concat(dims));
  const std::string_view automatic = n.string("auto_pad", "NOTSET");
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < dims; ++i) {
    const int64_t whole = w.strides[i] * (x.size(static_cast<int>(i) + 2) - 1) + w.extent(i);
    if (wanted || automatic.starts_with("SAME_")) {
      const int64_t size = wanted ? (*wanted)[i] : x.size(static_cast<int>(i) + 2) * w.strides[i];
      const int64_t total = whole + more[i] - size;
      const int64_t half = total >= 0 ? total / 2 : (total - 1) / 2;
      w.before[i] = automatic == "SAME_UPPER" ? half : total - half;
      w.after[i] = total - w.before[i];
    }
    sizes.push_back(whole + more[i] - w.before[i] - w.after[i]);
    if (sizes.back() <= 0) n.refuse("a result without elements", "a larger one");
  }
  const auto &s = w.strides, &d = w.dilations;
  const Operand groups(n.integer("group", 1));
  const Operand none = Operand::absent();
  Tensor y;
  if (dims == 1)
    y = n.eval("(x, weight, bias, s, d, groups) convTranspose1d(x, weight, bias, s, 0, 0, d, groups)",
               {x, weight, none, s[0], d[0], groups});
  else if (dims == 2)
    y = n.eval("(x, weight, bias, s1, s2, d1, d2, groups) convTranspose2d(x, weight, bias, s1, s2, 0, 0, 0, 0, d1, d2, groups)",
               {x, weight, none, s[0], s[1], d[0], d[1], groups});
  else if (dims == 3)
    y = n.eval(
        "(x, weight, bias, s1, s2, s3, d1, d2, d3, groups) convTranspose3d(x, weight, bias, s1, s2, s3, 0, 0, 0, {0, 0, 0}, d1, d2, d3, "
        "groups)",
        {x, weight, none, s[0], s[1], s[2], d[0], d[1], d[2], groups});
  else
    refuse_dimensions(n, dims);
  for (size_t i = 0; i < dims; ++i) {
    const auto dim = static_cast<int>(i) + 2;
    const int64_t first = std::max<int64_t>(0, w.before[i]), most = y.size(dim) - first;
    const int64_t empty_before = std::max<int64_t>(0, -w.before[i]), kept = std::min(most, sizes[i] - empty_before);
    y = n.padded(n.narrowed(y, dim, first, kept), dim, empty_before, sizes[i] - empty_before - kept, 0);
  }
  if (n.has(2)) y = n.eval("(x, y) add(x, y)", {y, n.by_channel(n.tensor(2), y)});
  n.give(y);
}

constexpr NodeKind kinds[] = {
    {"Conv", conv},
    {"ConvInteger", conv_integer},
    {"ConvTranspose", conv_transpose},
    {"QLinearConv", q_linear_conv},
};

}  // namespace

std::span<const NodeKind> convolution_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
