// Resize and Upsample: each dimension is a weighted sum of its elements, one dimension after another.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

struct Settings {
  std::string_view mode, coordinates, rounding;
  double cubic = -0.75, extrapolation = 0;
  bool antialias = false, excludes_outside = false;
};

// A dimension: sizes before and after, the factor, and the region of tf_crop_and_resize.
struct Line {
  int64_t from, to;
  double scale, first = 0, last = 1;
};

double any_coordinate(const Settings& s, const Line& l, int64_t i) {
  const auto x = static_cast<double>(i), from = static_cast<double>(l.from), to = static_cast<double>(l.to);
  if (s.coordinates == "asymmetric") return x / l.scale;
  if (s.coordinates == "align_corners") return l.to == 1 ? 0 : x * (from - 1) / (l.scale * from - 1);
  if (s.coordinates == "pytorch_half_pixel") return l.to == 1 ? 0 : (x + 0.5) / l.scale - 0.5;
  if (s.coordinates == "tf_crop_and_resize")
    return l.to > 1 ? l.first * (from - 1) + x * (l.last - l.first) * (from - 1) / (to - 1) : 0.5 * (l.first + l.last) * (from - 1);
  if (s.coordinates == "half_pixel_symmetric") {
    // The result's size is rounded: the difference is shared by both ends.
    const double exact = l.scale * from, adjusted = to / exact, center = from / 2;
    return center * (1 - adjusted) + (x + 0.5) / l.scale - 0.5;
  }
  return (x + 0.5) / l.scale - 0.5;
}

// The coordinate in the input of an element of the result. Those far outside are moved to where int64_t can count.
double coordinate(const Settings& s, const Line& l, int64_t i) { return std::clamp(any_coordinate(s, l, i), -0x1p50, 0x1p50); }

// A size computed in floating point, as an integer.
int64_t whole_size(const NodeRun& n, double size) {
  if (!(std::fabs(size) < 0x1p53)) n.refuse(concat("a dimension of size ", size), "fewer elements");
  return static_cast<int64_t>(std::floor(size));
}

int64_t nearest(std::string_view rounding, double x) {
  if (rounding == "floor") return static_cast<int64_t>(std::floor(x));
  if (rounding == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (rounding == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  return static_cast<int64_t>(std::ceil(x - 0.5));
}

// The filters, of which the distance is in elements of the input, or of the result where the picture shrinks and is smoothed.
double triangle(double x) { return std::max(0.0, 1 - std::fabs(x)); }
// Keys (1981), "Cubic convolution interpolation for digital image processing", IEEE TASSP 29.
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// The weights (to, from) of a dimension.
Tensor weights_of(const Settings& s, const Line& l) {
  Tensor weights = Tensor::empty(DType::float64, {l.to, l.from});
  std::fill_n(weights.data<double>(), weights.numel(), 0.0);
  const double shrink = s.antialias ? std::min(1.0, l.scale) : 1;
  const double radius = (s.mode == "cubic" ? 2 : 1) / shrink;
  for (int64_t i = 0; i < l.to; ++i) {
    double* const row = weights.data<double>() + i * l.from;
    const double x = coordinate(s, l, i);
    const auto first = static_cast<int64_t>(std::floor(x - radius)) + 1, last = static_cast<int64_t>(std::ceil(x + radius)) - 1;
    double sum = 0;
    for (int64_t j = first; j <= last; ++j) {
      const double distance = (x - static_cast<double>(j)) * shrink;
      const double w = s.mode == "cubic" ? cubic(distance, s.cubic) : triangle(distance);
      const bool is_outside = j < 0 || j >= l.from;
      if (is_outside && s.excludes_outside) continue;
      row[std::clamp<int64_t>(j, 0, l.from - 1)] += w;
      sum += w;
    }
    if (s.excludes_outside || s.antialias) {
      for (int64_t j = 0; j < l.from; ++j) row[j] /= sum;
    }
  }
  return weights;
}

bool is_outside(const Settings& s, const Line& l, int64_t i) {
  if (s.coordinates != "tf_crop_and_resize") return false;
  const double x = coordinate(s, l, i);
  return x < 0 || x > static_cast<double>(l.from - 1);
}

Tensor resized_line(const NodeRun& n, const Settings& s, Tensor x, int dim, const Line& l) {
  if (s.mode == "nearest") {
    Tensor at = Tensor::empty(DType::int64, {l.to});
    for (int64_t i = 0; i < l.to; ++i)
      at.data<int64_t>()[i] = std::clamp<int64_t>(nearest(s.rounding, coordinate(s, l, i)), 0, l.from - 1) + 1;
    x = n.eval("(x, dim, at) index(x, dim, at)", {x, dimension(dim), at});
  } else {
    const Tensor weights = weights_of(s, l);
    std::vector<int64_t> order(static_cast<size_t>(x.dim()));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[static_cast<size_t>(dim)], order.back());
    const bool is_last = dim == x.dim() - 1;
    x = n.eval("(x, weights) linear(x, weights)", {is_last ? x : n.permuted(x, order), to_dtype(weights, x.dtype())});
    if (!is_last) x = n.permuted(x, order);
  }
  std::vector<int64_t> outside;
  for (int64_t i = 0; i < l.to; ++i) {
    if (is_outside(s, l, i)) outside.push_back(i + 1);
  }
  if (outside.empty()) return x;
  return n.eval("(x, dim, at, value) indexFill(x, dim, at, value)", {x, dimension(dim), n.from_integers(outside), s.extrapolation});
}

// The engine's own op has the usual cases of pictures.
std::optional<Tensor> resized_picture(const NodeRun& n, const Settings& s, const Tensor& x, std::span<const Line> lines) {
  if (x.dim() != 4 || s.mode != "linear" || s.antialias || lines[0].from != lines[0].to || lines[1].from != lines[1].to)
    return std::nullopt;
  const bool is_aligned = s.coordinates == "align_corners";
  if (!is_aligned && s.coordinates != "half_pixel" && s.coordinates != "pytorch_half_pixel") return std::nullopt;
  for (const Line& l : lines.subspan(2)) {
    if (l.to < 2 || l.scale != static_cast<double>(l.to) / static_cast<double>(l.from)) return std::nullopt;
  }
  const Operand height(lines[2].to), width(lines[3].to);
  return is_aligned ? n.eval("(x, h, w) resample(x, h, w, 'bilinear', 'corners')", {x, height, width})
                    : n.eval("(x, h, w) resample(x, h, w, 'bilinear', 'plain')", {x, height, width});
}

void resize_lines(NodeRun& n, const Settings& s, const std::vector<Line>& lines) {
  Tensor x = n.tensor(0);
  const DType dtype = x.dtype();
  if (s.mode != "nearest" && !is_float(dtype)) x = n.converted(x, DType::float32);
  for (const Line& l : lines) {
    if (l.from == 0 || l.to < 0) n.refuse(concat("a dimension of size ", l.from, " for ", l.to), "elements");
    if (s.coordinates == "tf_crop_and_resize" && !(std::isfinite(l.first) && std::isfinite(l.last)))
      n.refuse(concat("a region from ", l.first, " to ", l.last), "finite numbers");
  }
  if (const auto picture = resized_picture(n, s, x, lines)) return n.give(n.converted(*picture, dtype));
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool is_same = lines[i].from == lines[i].to && lines[i].scale == 1 && s.coordinates != "tf_crop_and_resize";
    if (!is_same) x = resized_line(n, s, x, static_cast<int>(i), lines[i]);
  }
  n.give(n.converted(x, dtype));
}

void resize(NodeRun& n) {
  const bool is_old = n.version() < 11;
  Settings s;
  s.mode = n.string("mode", "nearest");
  s.coordinates = is_old ? "asymmetric" : n.string("coordinate_transformation_mode", "half_pixel");
  s.rounding = is_old ? "floor" : n.string("nearest_mode", "round_prefer_floor");
  s.cubic = n.number("cubic_coeff_a", -0.75);
  s.extrapolation = n.number("extrapolation_value", 0);
  s.antialias = n.integer("antialias", 0) != 0;
  s.excludes_outside = n.integer("exclude_outside", 0) != 0;
  const auto rank = static_cast<size_t>(n.rank(0));
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (const auto given = n.integers("axes")) {
    axes = *given;
    for (int64_t& axis : axes) axis = n.axis(axis, n.rank(0));
  }
  const std::vector<double> scales = n.numbers(is_old ? size_t{1} : size_t{2});
  std::vector<int64_t> sizes;
  if (!is_old && n.has(3)) sizes = n.integers(3);
  const std::vector<double> region = is_old ? std::vector<double>() : n.numbers(size_t{1});
  if ((scales.empty() ? sizes.size() : scales.size()) != axes.size()) n.refuse("scales or sizes of another number", concat(axes.size()));
  std::vector<Line> lines;
  for (size_t i = 0; i < rank; ++i) lines.push_back({n.tensor(0).size(static_cast<int>(i)), n.tensor(0).size(static_cast<int>(i)), 1});
  const std::string_view policy = n.string("keep_aspect_ratio_policy", "stretch");
  double common = policy == "not_larger" ? INFINITY : 0;
  for (size_t i = 0; i < axes.size() && scales.empty(); ++i) {
    const double factor = static_cast<double>(sizes[i]) / static_cast<double>(lines[static_cast<size_t>(axes[i])].from);
    common = policy == "not_larger" ? std::min(common, factor) : std::max(common, factor);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    Line& l = lines[static_cast<size_t>(axes[i])];
    if (!scales.empty()) {
      l.scale = scales[i];
      l.to = whole_size(n, static_cast<double>(l.from) * l.scale);
    } else if (policy == "stretch") {
      l.to = sizes[i];
      l.scale = static_cast<double>(l.to) / static_cast<double>(l.from);
    } else {
      l.scale = common;
      l.to = whole_size(n, common * static_cast<double>(l.from) + 0.5);
    }
    if (region.size() == 2 * axes.size()) {
      l.first = region[i];
      l.last = region[axes.size() + i];
    }
  }
  resize_lines(n, s, lines);
}

void upsample(NodeRun& n) {
  const Settings s{n.string("mode", "nearest"), "asymmetric", "floor"};
  std::vector<double> scales = n.numbers(size_t{1});
  if (scales.empty()) {
    const std::vector<float> given = n.numbers("scales");
    scales.assign(given.begin(), given.end());
  }
  if (scales.size() != static_cast<size_t>(n.rank(0))) n.refuse(concat(scales.size(), " scales"), concat(n.rank(0)));
  std::vector<Line> lines;
  for (size_t i = 0; i < scales.size(); ++i) {
    const int64_t from = n.tensor(0).size(static_cast<int>(i));
    lines.push_back({from, whole_size(n, static_cast<double>(from) * scales[i]), scales[i]});
  }
  resize_lines(n, s, lines);
}

constexpr NodeKind kinds[] = {
    {"Resize", resize},
    {"Upsample", upsample},
};

}  // namespace

std::span<const NodeKind> resize_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
