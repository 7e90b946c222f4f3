// Pooling over windows and over whole pictures.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/onnx/node_kind.h"
#include "engine/onnx/windows.h"

namespace mt::onnx {
namespace {

// Pictures of 2 or 3 dimensions, with windows; those of one dimension get a row.
struct Pictures {
  Tensor x;
  Windows windows;
  bool has_row = false;

  // Results without the row.
  Tensor result(const NodeRun& n, const Tensor& y) const {
    if (!has_row) return y;
    return n.reshaped(y, Shape{y.size(0), y.size(1), y.size(3)});
  }
};

Pictures pictures_of(const NodeRun& n) {
  Pictures made{n.tensor(0), windows_of(n, n.sizes(0))};
  const size_t dims = made.windows.dims();
  if (dims > 3) n.refuse(concat("pictures of ", dims, " dimensions"), "1 to 3");
  if (dims == 1) {
    made.has_row = true;
    made.x = n.reshaped(made.x, Shape{made.x.size(0), made.x.size(1), 1, made.x.size(2)});
    add_row(made.windows);
  }
  return made;
}

bool is_ceil(const NodeRun& n) { return n.integer("ceil_mode", 0) != 0; }

// Borders that the engine's windows can't have become a part of the picture: different ones at both ends, or more than half a window.
bool needs_borders(const Windows& w) {
  bool needed = !w.is_symmetric();
  for (size_t i = 0; i < w.dims(); ++i) needed = needed || w.before[i] * 2 > w.kernel[i];
  return needed;
}

// Whether a larger border at the end only adds windows that the engine has, too, if it rounds their number up: both have as many.
bool is_rounded_up(const NodeRun& n, const Pictures& pictures) {
  const Windows& w = pictures.windows;
  for (size_t i = 0; i < w.dims(); ++i) {
    const int64_t size = pictures.x.size(static_cast<int>(i) + 2), stride = w.strides[i], start = w.before[i];
    const int64_t wanted = size + start + w.after[i] - w.extent(i), room = size + 2 * start - w.extent(i);
    if (wanted < 0 || room < 0 || start * 2 > w.kernel[i] || start > w.after[i]) return false;
    int64_t last = (room + stride - 1) / stride;
    if (last * stride >= size + start) --last;  // no window begins behind the picture
    if (wanted / stride != last) return false;
  }
  return !is_ceil(n);
}

void forget_borders(Windows& w) {
  w.before.assign(w.dims(), 0);
  w.after.assign(w.dims(), 0);
}

// Maxima and their positions, from 1, in the picture with its borders.
std::vector<Tensor> maxima(const NodeRun& n, const Tensor& x, const Windows& w, bool rounds_up) {
  const auto &k = w.kernel, &s = w.strides, &p = w.before, &d = w.dilations;
  if (w.dims() == 2)
    return n.eval_all(
        "(x, k1, k2, s1, s2, p1, p2, ceil, d1, d2) maxPool2d(x, k1, k2, s1, s2, p1, p2, ceil, d1, d2)[1], "
        "maxPool2d(x, k1, k2, s1, s2, p1, p2, ceil, d1, d2)[2]",
        {x, k[0], k[1], s[0], s[1], p[0], p[1], rounds_up, d[0], d[1]});
  return n.eval_all(
      "(x, k1, k2, k3, s1, s2, s3, p1, p2, p3, ceil, d1, d2, d3) maxPool3d(x, k1, k2, k3, s1, s2, s3, p1, p2, p3, ceil, d1, d2, "
      "d3)[1], maxPool3d(x, k1, k2, k3, s1, s2, s3, p1, p2, p3, ceil, d1, d2, d3)[2]",
      {x, k[0], k[1], k[2], s[0], s[1], s[2], p[0], p[1], p[2], rounds_up, d[0], d[1], d[2]});
}

Tensor means(const NodeRun& n, const Tensor& x, const Windows& w, bool rounds_up, bool counts_borders) {
  const auto &k = w.kernel, &s = w.strides, &p = w.before;
  if (w.dims() == 2)
    return n.eval("(x, k1, k2, s1, s2, p1, p2, ceil, counts) avgPool2d(x, k1, k2, s1, s2, p1, p2, ceil, counts)",
                  {x, k[0], k[1], s[0], s[1], p[0], p[1], rounds_up, counts_borders});
  return n.eval("(x, k1, k2, k3, s1, s2, s3, p1, p2, p3, ceil, counts) avgPool3d(x, k1, k2, k3, s1, s2, s3, p1, p2, p3, ceil, counts)",
                {x, k[0], k[1], k[2], s[0], s[1], s[2], p[0], p[1], p[2], rounds_up, counts_borders});
}

// Positions count through the whole tensor, of the picture without its borders; the other order has columns first.
Tensor positions_of_maxima(const NodeRun& n, const Pictures& pictures, const Tensor& at, Sizes padded) {
  const Windows& w = pictures.windows;
  const auto dims = static_cast<int>(w.dims());
  const bool is_column_major = n.integer("storage_order", 0) == 1;
  Tensor rest = n.eval("(x) add(x, -1)", {at}), total;
  int64_t below = 1, plane = 1, stride = 1;
  std::vector<Tensor> coordinates(static_cast<size_t>(dims));
  for (int i = dims - 1; i >= 0; --i) {
    const auto k = static_cast<size_t>(i);
    const int64_t size = padded[k + 2];
    coordinates[k] =
        n.eval("(x, below, size, before) add(remainder(cdiv(x, below), size), -before)",
               {rest, n.filled({}, static_cast<double>(below), DType::int64), static_cast<double>(size), static_cast<double>(w.before[k])});
    below *= size;
    plane *= pictures.x.size(i + 2);
  }
  for (int step = 0; step < dims; ++step) {
    const auto k = static_cast<size_t>(is_column_major ? step : dims - 1 - step);
    const Tensor part = n.eval("(x, stride) mul(x, stride)", {coordinates[k], Operand(stride)});
    total = step == 0 ? part : n.eval("(x, y) add(x, y)", {total, part});
    stride *= pictures.x.size(static_cast<int>(k) + 2);
  }
  const int64_t planes = pictures.x.size(0) * pictures.x.size(1);
  std::vector<int64_t> first(static_cast<size_t>(planes)), sizes(static_cast<size_t>(total.dim()), 1);
  for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int64_t>(i) * plane;
  sizes[0] = pictures.x.size(0);
  sizes[1] = pictures.x.size(1);
  return n.eval("(x, y) add(x, y)", {total, n.broadcast({n.reshaped(n.from_integers(first), sizes)}, total.sizes())});
}

void max_pool(NodeRun& n) {
  Pictures pictures = pictures_of(n);
  const DType dtype = pictures.x.dtype();
  const bool is_float = info(dtype).kind == NumberKind::real;
  Tensor x = is_float ? pictures.x : n.converted(pictures.x, DType::float32);  // exact for 8 bits
  Windows w = pictures.windows;
  const bool rounds_up = is_ceil(n) || is_rounded_up(n, pictures), adds_borders = !is_rounded_up(n, pictures) && needs_borders(w);
  if (adds_borders) {
    x = with_borders(n, x, w, -std::numeric_limits<double>::infinity());
    forget_borders(w);
  }
  const auto found = maxima(n, x, w, rounds_up);
  n.give(n.converted(pictures.result(n, found[0]), dtype));
  if (!n.wants(1)) return;
  if (!adds_borders) pictures.windows.before.assign(w.dims(), 0);  // the engine's positions are those of the picture
  n.give(pictures.result(n, positions_of_maxima(n, pictures, found[1], x.sizes())), false, 1);
}

// Windows that are cut off at a border have means of fewer elements. With borders as part of the picture, the mean of ones says how many.
Tensor mean_of(const NodeRun& n, const Pictures& pictures, const Tensor& given, bool counts_borders) {
  Windows w = pictures.windows;
  const bool is_dilated = std::ranges::any_of(w.dilations, [](int64_t d) { return d != 1; });
  if (!needs_borders(w) && !is_dilated) return means(n, given, w, is_ceil(n), counts_borders);
  if (!counts_borders && !is_dilated && is_rounded_up(n, pictures)) return means(n, given, w, true, false);
  Tensor x = with_borders(n, given, w, 0), ones = n.filled(given.sizes(), 1, given.dtype());
  ones = with_borders(n, ones, w, counts_borders ? 1 : 0);
  forget_borders(w);
  if (!is_dilated) return n.eval("(x, y) cdiv(x, y)", {means(n, x, w, is_ceil(n), true), means(n, ones, w, is_ceil(n), true)});
  // A dilated window is a convolution of each channel with ones. A window at the end that is_ceil adds needs room.
  for (size_t i = 0; i < w.dims(); ++i) {
    const int64_t rest = x.size(static_cast<int>(i) + 2) - w.extent(i);
    const int64_t over = rest % w.strides[i];
    if (is_ceil(n) && over != 0) w.after[i] = w.strides[i] - over;
  }
  x = with_borders(n, x, w, 0);
  ones = with_borders(n, ones, w, 0);
  const int64_t channels = given.size(1);
  std::vector<int64_t> sizes{channels, 1};
  sizes.insert(sizes.end(), w.kernel.begin(), w.kernel.end());
  const Tensor filter = n.filled(sizes, 1, given.dtype());
  const auto sums = [&](const Tensor& t) {
    const auto &s = w.strides, &d = w.dilations;
    if (w.dims() == 2)
      return n.eval("(x, f, s1, s2, d1, d2, g) conv2d(x, f, none, s1, s2, 0, 0, d1, d2, g)",
                    {t, filter, s[0], s[1], d[0], d[1], Operand(channels)});
    return n.eval("(x, f, s1, s2, s3, d1, d2, d3, g) conv3d(x, f, none, s1, s2, s3, 0, 0, 0, d1, d2, d3, g)",
                  {t, filter, s[0], s[1], s[2], d[0], d[1], d[2], Operand(channels)});
  };
  return n.eval("(x, y) cdiv(x, y)", {sums(x), sums(ones)});
}

void average_pool(NodeRun& n) {
  const Pictures pictures = pictures_of(n);
  n.give(pictures.result(n, mean_of(n, pictures, pictures.x, n.integer("count_include_pad", 0) != 0)));
}

// (sum |x|^p)^(1/p): the mean of the whole window times its elements.
void lp_pool(NodeRun& n) {
  const Pictures pictures = pictures_of(n);
  const double p = n.number("p", 2);
  double count = 1;
  for (const int64_t size : pictures.windows.kernel) count *= static_cast<double>(size);
  const Tensor powers = n.eval("(x, p) pow(abs(x), p)", {pictures.x, p});
  const Tensor mean = mean_of(n, pictures, powers, true);
  n.give(pictures.result(n, n.eval("(x, count, p) pow(mul(x, count), p)", {mean, count, 1 / p})));
}

// ---- whole pictures

void global_pool(NodeRun& n, std::string_view formula, std::initializer_list<Operand> more = {}) {
  const Tensor& x = n.tensor(0, 3);
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
  sizes[0] = x.size(0);
  sizes[1] = x.size(1);
  const int64_t planes = x.size(0) * x.size(1);
  const Tensor flat = n.reshaped(x, Shape{x.size(0), x.size(1), planes == 0 ? 0 : x.numel() / planes});
  std::vector<Operand> operands{flat};
  operands.insert(operands.end(), more);
  n.give(evaluate_all(n.settings(), formula, operands)[0], sizes);
}

void global_average_pool(NodeRun& n) { global_pool(n, "(x) mean(x, 3)"); }
void global_max_pool(NodeRun& n) { global_pool(n, "(x) max(x, 3)"); }
void global_lp_pool(NodeRun& n) { global_pool(n, "(x, p) norm(x, p, 3)", {n.number("p", 2)}); }

// Writes the elements to the positions that MaxPool returned, through the whole tensor.
void max_unpool(NodeRun& n) {
  const Windows w = windows_of(n, n.sizes(0));
  std::vector<int64_t> sizes(n.sizes(0).begin(), n.sizes(0).end());
  for (size_t i = 0; i < w.dims(); ++i) sizes[i + 2] = (sizes[i + 2] - 1) * w.strides[i] + w.kernel[i] - w.before[i] - w.after[i];
  std::vector<int64_t> within = sizes;
  if (n.has(2)) sizes = n.integers(2);
  const int64_t count = n.product(within);
  const Tensor flat = n.filled(Shape{count}, 0, n.dtype(0)), &x = n.tensor(0);
  const Tensor at = n.eval("(at) add(at, 1)", {n.reshaped(n.tensor(1), Shape{x.numel()})});
  Tensor y = n.reshaped(n.eval("(x, at, y) indexCopy(x, 1, at, y)", {flat, at, n.reshaped(x, Shape{x.numel()})}), within);
  if (sizes.size() != within.size()) n.refuse(concat(sizes.size(), " sizes"), concat(within.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto dim = static_cast<int>(i);
    if (sizes[i] < y.size(dim)) n.refuse(concat("a size of ", sizes[i]), concat("at least ", y.size(dim)));
    y = n.padded(y, dim, 0, sizes[i] - y.size(dim), 0);
  }
  n.give(y);
}

constexpr NodeKind kinds[] = {
    {"AveragePool", average_pool},
    {"GlobalAveragePool", global_average_pool},
    {"GlobalLpPool", global_lp_pool},
    {"GlobalMaxPool", global_max_pool},
    {"LpPool", lp_pool},
    {"MaxPool", max_pool},
    {"MaxUnpool", max_unpool},
};

}  // namespace

std::span<const NodeKind> pooling_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
