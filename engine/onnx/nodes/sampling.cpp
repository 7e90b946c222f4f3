// Elements at positions between pixels: grids, regions, and convolutions with offsets.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/onnx/node_kind.h"
#include "engine/onnx/windows.h"

namespace mt::onnx {
namespace {

// One of the elements around a coordinate, with its weight: floats of the dtype of the coordinates.
struct Tap {
  Tensor at, weight;
};

struct Grid {
  std::string_view mode, padding;
  bool aligns = false;
};

// Reflects coordinates at the ends of a dimension, which are pixel centers or their edges.
Tensor reflected(const NodeRun& n, const Tensor& x, int64_t size, bool aligns) {
  const double low = aligns ? 0 : -0.5, span = static_cast<double>(aligns ? size - 1 : size);
  if (span == 0) return n.eval("(x) mul(x, 0)", {x});
  return n.eval(
      "(x, low, span, twice, most) clamp(add(csub(add(mul(x, 0), span), abs(csub(remainder(add(x, -low), twice), span))), low), 0, most)",
      {x, low, span, 2 * span, static_cast<double>(size - 1)});
}

Tensor placed(const NodeRun& n, const Tensor& x, int64_t size, const Grid& grid) {
  if (grid.padding == "border") return n.eval("(x, most) clamp(x, 0, most)", {x, static_cast<double>(size - 1)});
  if (grid.padding == "reflection") return reflected(n, x, size, grid.aligns);
  return x;
}

// The taps of a dimension. Elements outside of it weigh nothing.
std::vector<Tap> taps_of(const NodeRun& n, Tensor x, int64_t size, const Grid& grid) {
  std::vector<Tap> taps;
  if (grid.mode != "cubic" && grid.mode != "bicubic") x = placed(n, x, size, grid);
  if (grid.mode == "nearest") {
    const Tensor at = n.rounded(x);
    taps.push_back({at, n.eval("(x) add(mul(x, 0), 1)", {x})});
  } else if (grid.mode == "cubic" || grid.mode == "bicubic") {
    // Keys (1981), "Cubic convolution interpolation for digital image processing", IEEE TASSP 29, with a = -0.75.
    const Tensor first = n.eval("(x) floor(x)", {x}), t = n.eval("(x, first) csub(x, first)", {x, first});
    constexpr std::string_view weights[] = {
        "(t) cmul(add(cmul(add(mul(t, -0.75), 1.5), t), -0.75), t)", "(t) add(cmul(cmul(add(mul(t, 1.25), -2.25), t), t), 1)",
        "(t) cmul(add(cmul(add(mul(t, -1.25), 1.5), t), 0.75), t)", "(t) cmul(cmul(add(mul(t, 0.75), -0.75), t), t)"};
    for (int k = 0; k < 4; ++k) {
      const Tensor at = placed(n, n.eval("(first, k) add(first, k)", {first, static_cast<double>(k - 1)}), size, grid);
      taps.push_back({at, n.eval(weights[k], {t})});
    }
  } else {
    const Tensor first = n.eval("(x) floor(x)", {x});
    taps.push_back({first, n.eval("(x, first) add(neg(csub(x, first)), 1)", {x, first})});
    taps.push_back({n.eval("(first) add(first, 1)", {first}), n.eval("(x, first) csub(x, first)", {x, first})});
  }
  for (Tap& tap : taps) {
    tap.weight = n.eval("(at, weight, most) where(ge(at, 0), where(le(at, most), weight, 0), 0)",
                        {tap.at, tap.weight, static_cast<double>(size - 1)});
    tap.at = n.eval("(at, most) clamp(at, 0, most)", {tap.at, static_cast<double>(size - 1)});
  }
  return taps;
}

// Sums of planes (batch, channels, elements) at points (batch, points), of which there are taps for each dimension of the planes.
Tensor sampled(const NodeRun& n, const Tensor& planes, const std::vector<std::vector<Tap>>& taps, const std::vector<int64_t>& sizes) {
  size_t combinations = 1;
  for (const auto& dim : taps) combinations *= dim.size();
  const int64_t batch = planes.size(0), channels = planes.size(1), points = taps[0][0].at.size(1);
  Tensor total;
  for (size_t i = 0; i < combinations; ++i) {
    size_t rest = i;
    Tensor at, weight;
    for (size_t d = 0; d < taps.size(); ++d) {
      const Tap& tap = taps[d][rest % taps[d].size()];
      rest /= taps[d].size();
      at = d == 0 ? n.converted(tap.at, DType::float64)
                  : n.eval("(at, size, next) add(mul(at, size), next)",
                           {at, static_cast<double>(sizes[d]), n.converted(tap.at, DType::float64)});
      weight = d == 0 ? tap.weight : n.eval("(x, y) cmul(x, y)", {weight, tap.weight});
    }
    const Shape wide{batch, channels, points};
    const Tensor index = n.reshaped(n.eval("(at) add(to(at, 'int64'), 1)", {at}), Shape{batch, 1, points});
    const Tensor values = n.eval("(x, at) gather(x, 3, at)", {planes, n.broadcast({index}, wide)});
    const Tensor factors = n.broadcast({n.reshaped(n.converted(weight, planes.dtype()), Shape{batch, 1, points})}, wide);
    const Tensor part = n.eval("(x, w) cmul(x, w)", {values, factors});
    total = i == 0 ? part : n.eval("(x, y) add(x, y)", {total, part});
  }
  return total;
}

void grid_sample(NodeRun& n) {
  const Tensor &x = n.tensor(0, 3), &grid = n.tensor(1);
  const auto dims = static_cast<int>(x.dim()) - 2;
  if (dims < 1 || grid.dim() != x.dim() || grid.size(grid.dim() - 1) != dims) n.refuse("a grid of other dimensions", concat(x.dim()));
  const Grid settings{n.string("mode", "linear"), n.string("padding_mode", "zeros"), n.integer("align_corners", 0) != 0};
  std::vector<int64_t> sizes, result{x.size(0), x.size(1)};
  int64_t points = 1, elements = 1;
  for (int d = 0; d < dims; ++d) {
    sizes.push_back(x.size(d + 2));
    elements *= x.size(d + 2);
    result.push_back(grid.size(d + 1));
    points *= grid.size(d + 1);
  }
  const Tensor flat = n.reshaped(grid, Shape{x.size(0), points, dims});
  std::vector<std::vector<Tap>> taps;
  for (int d = 0; d < dims; ++d) {
    const Tensor c = n.eval("(x, i) select(x, 3, i)", {flat, Operand(int64_t{dims - d})});  // the last dimension is the first coordinate
    const auto size = static_cast<double>(sizes[static_cast<size_t>(d)]);
    const Tensor pixel = settings.aligns ? n.eval("(x, half) mul(add(x, 1), half)", {c, (size - 1) / 2})
                                         : n.eval("(x, half) add(mul(add(x, 1), half), -0.5)", {c, size / 2});
    taps.push_back(taps_of(n, pixel, sizes[static_cast<size_t>(d)], settings));
  }
  n.give(n.reshaped(sampled(n, n.reshaped(x, Shape{x.size(0), x.size(1), elements}), taps, sizes), result));
}

void affine_grid(NodeRun& n) {
  const Tensor& theta = n.tensor(0);
  const std::vector<int64_t> sizes = n.integers(1);
  const bool aligns = n.integer("align_corners", 0) != 0;
  const auto dims = static_cast<int64_t>(sizes.size()) - 2;
  if (dims < 2 || dims > 3 || theta.dim() != 3 || theta.size(1) != dims || theta.size(2) != dims + 1)
    n.refuse("sizes that the matrices do not fit", "(n, 2, 3) or (n, 3, 4)");
  int64_t points = 1;
  std::vector<int64_t> result{sizes[0]};
  for (int64_t d = 0; d < dims; ++d) {
    points *= sizes[static_cast<size_t>(d) + 2];
    result.push_back(sizes[static_cast<size_t>(d) + 2]);
  }
  result.push_back(dims);
  Tensor base = Tensor::empty(DType::float64, {points, dims + 1});
  for (int64_t i = 0; i < points; ++i) {
    int64_t rest = i;
    for (int64_t d = dims; d-- > 0;) {
      const int64_t size = sizes[static_cast<size_t>(d) + 2], at = rest % size;
      rest /= size;
      const double x = aligns ? (size == 1 ? 0 : 2.0 * static_cast<double>(at) / static_cast<double>(size - 1) - 1)
                              : (2.0 * static_cast<double>(at) + 1) / static_cast<double>(size) - 1;
      base.data<double>()[i * (dims + 1) + dims - 1 - d] = x;
    }
    base.data<double>()[i * (dims + 1) + dims] = 1;
  }
  const Tensor wide = n.broadcast({to_dtype(base, theta.dtype())}, Shape{sizes[0], points, dims + 1});
  n.give(n.eval("(base, theta) matmul(base, transpose(theta, 2, 3))", {wide, theta}), result);
}

// ---- convolutions

// Dai et al. (2017), "Deformable Convolutional Networks", arXiv:1703.06211, and Zhu et al. (2018), arXiv:1811.11168, for the mask: each
// element of the filter reads at an offset of its own. The samples are channels of a convolution with filters of one element.
void deform_conv(NodeRun& n) {
  const Tensor &x = n.tensor(0), &weight = n.tensor(1, 4);
  if (x.dim() != 4) n.refuse(concat("pictures of ", x.dim() - 2, " dimensions"), "2");
  const Windows w = windows_of(n, x.sizes(), {weight.size(2), weight.size(3)});
  const int64_t batch = x.size(0), channels = x.size(1), groups = n.integer("offset_group", 1);
  const int64_t rows = (x.size(2) + w.before[0] + w.after[0] - w.extent(0)) / w.strides[0] + 1;
  const int64_t columns = (x.size(3) + w.before[1] + w.after[1] - w.extent(1)) / w.strides[1] + 1;
  const int64_t filter = w.kernel[0] * w.kernel[1], points = rows * columns;
  if (groups <= 0 || channels % groups != 0 || n.tensor(2).numel() != batch * groups * filter * 2 * points)
    n.refuse("offsets of other sizes", "two for each element of a filter");
  const Tensor offsets = n.reshaped(n.tensor(2), Shape{batch, groups * filter * 2, points});
  const Grid linear{"linear", "zeros", true};
  std::vector<Tensor> samples;  // (batch, channels of the group, 1, points), by group and element of the filter
  for (int64_t g = 0; g < groups; ++g) {
    const Tensor planes =
        n.reshaped(n.narrowed(x, 1, g * (channels / groups), channels / groups), Shape{batch, channels / groups, x.size(2) * x.size(3)});
    std::vector<Tensor> parts;
    for (int64_t k = 0; k < filter; ++k) {
      std::vector<std::vector<Tap>> taps;
      for (int d = 0; d < 2; ++d) {
        const auto i = static_cast<size_t>(d);
        const int64_t element = d == 0 ? k / w.kernel[1] : k % w.kernel[1];
        std::vector<int64_t> base;
        for (int64_t p = 0; p < points; ++p)
          base.push_back((d == 0 ? p / columns : p % columns) * w.strides[i] - w.before[i] + element * w.dilations[i]);
        const Tensor offset = n.reshaped(n.narrowed(offsets, 1, (g * filter + k) * 2 + d, 1), Shape{batch, points});
        const Tensor at = n.eval("(x, y) add(x, y)", {offset, n.broadcast({n.from_integers(base, offset.dtype())}, offset.sizes())});
        taps.push_back(taps_of(n, at, x.size(d + 2), linear));
      }
      Tensor part = sampled(n, planes, taps, {x.size(2), x.size(3)});
      if (n.has(4)) {
        const Tensor mask = n.narrowed(n.reshaped(n.tensor(4), Shape{batch, groups * filter, points}), 1, g * filter + k, 1);
        part = n.eval("(x, mask) cmul(x, mask)", {part, n.broadcast({mask}, part.sizes())});
      }
      parts.push_back(n.reshaped(part, Shape{batch, channels / groups, 1, points}));
    }
    samples.push_back(n.concatenated(parts, 2));
  }
  const Tensor all = n.reshaped(n.concatenated(samples, 1), Shape{batch, channels * filter, rows, columns});
  const Tensor flat = n.reshaped(weight, Shape{weight.size(0), weight.size(1) * filter, 1, 1});
  n.give(n.eval("(x, weight, bias, groups) conv2d(x, weight, bias, 1, 1, 0, 0, 1, 1, groups)",
                {all, flat, n.optional(3), Operand(n.integer("group", 1))}));
}

// ---- regions

// The samples of a region: coordinates of a line of bins, each with the same number of points. A point more than a pixel outside counts 0.
struct Samples {
  std::vector<double> at;
  int64_t each = 1;
};

Samples samples_of(double first, double extent, int64_t bins, int64_t ratio) {
  Samples made;
  const double bin = extent / static_cast<double>(bins);
  made.each = std::max<int64_t>(ratio > 0 ? ratio : static_cast<int64_t>(std::ceil(bin)), 1);
  for (int64_t i = 0; i < bins; ++i) {
    for (int64_t k = 0; k < made.each; ++k)
      made.at.push_back(first + (static_cast<double>(i) + (static_cast<double>(k) + 0.5) / static_cast<double>(made.each)) * bin);
  }
  return made;
}

// He et al. (2017), "Mask R-CNN", arXiv:1703.06870: bilinear samples of each bin, of which the mean or the largest is taken.
void roi_align(NodeRun& n) {
  const Tensor& x = n.tensor(0, 4);
  const std::vector<double> regions = n.numbers(size_t{1});
  const std::vector<int64_t> batches = n.integers(2);
  const int64_t rows = n.integer("output_height", 1), columns = n.integer("output_width", 1), ratio = n.integer("sampling_ratio", 0);
  const double scale = n.number("spatial_scale", 1);
  const bool is_shifted = n.version() >= 16 && n.string("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  const bool takes_largest = n.string("mode", "avg") == "max";
  if (regions.size() != 4 * batches.size() || rows <= 0 || columns <= 0)
    n.refuse(concat(regions.size(), " numbers of regions"), concat(4 * batches.size()));
  const int64_t height = x.size(2), width = x.size(3), channels = x.size(1);
  std::vector<Tensor> results;
  for (size_t i = 0; i < batches.size(); ++i) {
    if (batches[i] < 0 || batches[i] >= x.size(0)) n.refuse(concat("the picture ", batches[i]), concat("0..", x.size(0) - 1));
    const double shift = is_shifted ? 0.5 : 0, *r = regions.data() + 4 * i;
    double w = (r[2] - r[0]) * scale, h = (r[3] - r[1]) * scale;
    if (!is_shifted) {
      w = std::max(w, 1.0);
      h = std::max(h, 1.0);
    }
    const Samples ys = samples_of(r[1] * scale - shift, h, rows, ratio), xs = samples_of(r[0] * scale - shift, w, columns, ratio);
    enum class Neighbours { both, lower, upper };
    const auto matrix = [&](const Samples& samples, int64_t size, Neighbours which) {  // (samples, size): their weights
      Tensor m = Tensor::empty(DType::float64, {static_cast<int64_t>(samples.at.size()), size});
      std::fill_n(m.data<double>(), m.numel(), 0.0);
      for (size_t k = 0; k < samples.at.size(); ++k) {
        if (samples.at[k] < -1 || samples.at[k] > static_cast<double>(size)) continue;
        const double c = std::clamp(samples.at[k], 0.0, static_cast<double>(size - 1));
        const auto low = static_cast<int64_t>(c), high = std::min(low + 1, size - 1);
        double* const row = m.data<double>() + static_cast<int64_t>(k) * size;
        if (which != Neighbours::upper) row[low] += 1 - (c - static_cast<double>(low));
        if (which != Neighbours::lower) row[high] += c - static_cast<double>(low);
      }
      return to_dtype(m, x.dtype());
    };
    const Tensor plane = n.reshaped(n.narrowed(x, 0, batches[i], 1), Shape{channels, height, width});
    const auto samples = [&](Neighbours above, Neighbours beside) {
      const Tensor wide = n.eval("(x, m) linear(x, m)", {plane, matrix(xs, width, beside)});
      return n.eval("(x, m) transpose(linear(transpose(x, 2, 3), m), 2, 3)", {wide, matrix(ys, height, above)});
    };
    Tensor all;
    if (takes_largest) {  // of the weighted neighbours of each sample
      for (const Neighbours above : {Neighbours::lower, Neighbours::upper}) {
        for (const Neighbours beside : {Neighbours::lower, Neighbours::upper}) {
          const Tensor part = samples(above, beside);
          all = all.dim() == 0 ? part : n.eval("(x, y) cmax(x, y)", {all, part});
        }
      }
    } else {
      all = samples(Neighbours::both, Neighbours::both);
    }
    const Tensor bins = n.permuted(n.reshaped(all, Shape{channels, rows, ys.each, columns, xs.each}), {0, 1, 3, 2, 4});
    const Tensor flat = n.reshaped(bins, Shape{channels, rows, columns, ys.each * xs.each});
    const Tensor pooled = takes_largest ? n.eval("(x) max(x, 4)", {flat}) : n.eval("(x) mean(x, 4)", {flat});
    results.push_back(n.reshaped(pooled, Shape{1, channels, rows, columns}));
  }
  if (results.empty()) return n.give(n.filled(Shape{0, channels, rows, columns}, 0, x.dtype()));
  n.give(n.concatenated(results, 0));
}

// Each box, from a corner or a center, as its edges.
struct Box {
  double y1, x1, y2, x2;
  double area() const { return (y2 - y1) * (x2 - x1); }
};

double overlap(const Box& a, const Box& b) {
  const double h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1), w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (h <= 0 || w <= 0) return 0;
  return h * w / (a.area() + b.area() - h * w);
}

void non_max_suppression(NodeRun& n) {
  const Sizes sizes = n.sizes(1);
  if (sizes.size() != 3 || n.rank(0) != 3 || n.sizes(0)[2] != 4 || n.sizes(0)[1] != sizes[2])
    n.refuse("boxes that the scores do not fit", "(n, boxes, 4)");
  const std::vector<double> given = n.numbers(size_t{0}), scores = n.numbers(size_t{1});
  const int64_t most = n.has(2) ? n.integer(size_t{2}) : 0;
  const double limit = n.has(3) ? n.number(size_t{3}) : 0, least = n.has(4) ? n.number(size_t{4}) : -INFINITY;
  const bool has_centers = n.integer("center_point_box", 0) != 0;
  const auto boxes = static_cast<size_t>(sizes[2]);
  std::vector<int64_t> chosen;
  for (int64_t b = 0; b < sizes[0]; ++b) {
    std::vector<Box> all;
    for (size_t i = 0; i < boxes; ++i) {
      const double* p = given.data() + (static_cast<size_t>(b) * boxes + i) * 4;
      if (has_centers)
        all.push_back({p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2});
      else
        all.push_back({std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])});
    }
    for (int64_t c = 0; c < sizes[1]; ++c) {
      const double* score = scores.data() + static_cast<size_t>(b * sizes[1] + c) * boxes;
      std::vector<size_t> order(boxes), kept;
      std::iota(order.begin(), order.end(), size_t{0});
      std::ranges::stable_sort(order, [&](size_t i, size_t k) { return score[i] > score[k]; });
      for (const size_t i : order) {
        if (static_cast<int64_t>(kept.size()) >= most || score[i] <= least) break;
        if (std::ranges::any_of(kept, [&](size_t k) { return overlap(all[i], all[k]) > limit; })) continue;
        kept.push_back(i);
        chosen.insert(chosen.end(), {b, c, static_cast<int64_t>(i)});
      }
    }
  }
  n.give(n.reshaped(n.from_integers(chosen), Shape{static_cast<int64_t>(chosen.size()) / 3, 3}));
}

constexpr NodeKind kinds[] = {
    {"AffineGrid", affine_grid}, {"DeformConv", deform_conv}, {"GridSample", grid_sample}, {"NonMaxSuppression", non_max_suppression},
    {"RoiAlign", roi_align},
};

}  // namespace

std::span<const NodeKind> sampling_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
