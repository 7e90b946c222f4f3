// The CPU's kernels of boxes. A box is compared with the survivors of its group, several at once. The weights of bilinear samples are
// products of one weight per axis, so a bin's rows are added first, in vectors, and then its columns; threads divide boxes and channels,
// and in the gradient, where boxes overlap, channels of images.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/regions.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/ops/regions.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

#include "engine/ops/regions-inl.h"

constexpr double most_of_a_coordinate = 1 << 30;

// ---- suppression

// The survivors of a group: their coordinates and areas in arrays, with room for a whole vector.
template <class T> class Survivors {
 public:
  explicit Survivors(int64_t most) {
    for (std::vector<T>& field : fields_) field.resize(static_cast<size_t>(most) + hn::MaxLanes(D()));
  }
  void clear() { count_ = 0; }
  void add(const T* box, T area) {
    for (size_t k = 0; k < 4; ++k) fields_[k][count_] = box[k];
    fields_[4][count_++] = area;
  }
  // Whether the intersection over union with one of them exceeds threshold.
  bool overlap(const T* box, T area, T threshold) const {
    const D d;
    const size_t lanes = hn::Lanes(d);
    const auto x1 = hn::Set(d, box[0]), y1 = hn::Set(d, box[1]), x2 = hn::Set(d, box[2]), y2 = hn::Set(d, box[3]);
    const auto own = hn::Set(d, area), most = hn::Set(d, threshold), zero = hn::Zero(d);
    for (size_t i = 0; i < count_; i += lanes) {
      const auto at = [&](size_t field) HWY_ATTR { return hn::LoadU(d, fields_[field].data() + i); };
      const auto width = hn::Max(zero, hn::Sub(hn::Min(x2, at(2)), hn::Max(x1, at(0))));
      const auto height = hn::Max(zero, hn::Sub(hn::Min(y2, at(3)), hn::Max(y1, at(1))));
      const auto shared = hn::Mul(width, height);
      const auto over = hn::Gt(hn::Div(shared, hn::Sub(hn::Add(own, at(4)), shared)), most);
      if (!hn::AllFalse(d, hn::And(over, hn::FirstN(d, count_ - i)))) return true;
    }
    return false;
  }

 private:
  using D = hn::ScalableTag<T>;
  std::vector<T> fields_[5];
  size_t count_ = 0;
};

// The largest T that is no larger than threshold: exactly the same T exceed both.
template <class T> T rounded_down(double threshold) {
  const T t = static_cast<T>(threshold);
  return static_cast<double>(t) > threshold ? std::nextafter(t, -std::numeric_limits<T>::infinity()) : t;
}

template <class T> void suppress(const NmsPlan& plan) {
  const int64_t n = plan.out.numel();
  const T* const boxes = plan.boxes.data<T>();
  const int64_t* const groups = plan.groups.data<int64_t>();
  uint8_t* const out = plan.out.data<uint8_t>();
  const T threshold = rounded_down<T>(plan.threshold);
  std::vector<int64_t> order(static_cast<size_t>(n)), starts{0};
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto group = [&](int64_t i) { return groups[order[static_cast<size_t>(i)]]; };
  if (groups != nullptr) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return groups[a] < groups[b]; });
    for (int64_t i = 1; i < n; ++i)
      if (group(i) != group(i - 1)) starts.push_back(i);
  }
  starts.push_back(n);
  const auto count = static_cast<int64_t>(starts.size()) - 1;
  parallel_for(count, std::max<int64_t>(1, 1024 * count / n), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t first = starts[static_cast<size_t>(k)], last = starts[static_cast<size_t>(k + 1)];
      Survivors<T> survivors(last - first);
      for (int64_t i = first; i < last; ++i) {
        if (i % 1024 == 0) look_for_interrupt();
        const int64_t at = order[static_cast<size_t>(i)];
        const T* const box = boxes + 4 * at;
        const T area = (box[2] - box[0]) * (box[3] - box[1]);
        const bool stays = !survivors.overlap(box, area, threshold);
        out[at] = stays ? 1 : 0;
        if (stays) survivors.add(box, area);
      }
    }
  });
}

void run_nms(const NmsPlan& plan) { (plan.boxes.dtype() == DType::float32 ? suppress<float> : suppress<double>)(plan); }

// ---- bilinear samples

// The weights of one axis of a box: of each bin those of a few places of the image.
template <class T> struct Axis {
  std::vector<int64_t> places, starts;  // starts: of each bin, in places and weights, and their end
  std::vector<T> weights;
  int64_t first = 0, last = 0;  // the range of places

  // A box from `start` with `extent`, in pixels of an axis of `size`.
  void reset(T start, T extent, int64_t size, int64_t bins, int64_t samples) {
    places.clear(), weights.clear();
    starts.assign(1, 0);
    first = size, last = 0;
    const T bin = extent / static_cast<T>(bins);
    const int64_t grid = samples > 0 ? samples : static_cast<int64_t>(std::ceil(bin)), edge = size - 1;
    const T step = bin / static_cast<T>(grid);
    for (int64_t p = 0; p < bins; ++p, starts.push_back(static_cast<int64_t>(places.size()))) {
      if (grid <= 0) continue;
      const T begin = start + static_cast<T>(p) * bin;
      // Only these samples can be inside, whatever the box's size.
      const auto bound = [&](double to) { return (to - static_cast<double>(begin)) / static_cast<double>(step) - 0.5; };
      const double a = bound(-1), b = bound(static_cast<double>(size));
      const auto most = static_cast<double>(grid) - 1;
      const auto from = step != 0 ? static_cast<int64_t>(std::clamp(std::floor(std::min(a, b)) - 1, 0.0, most)) : 0;
      const auto to = step != 0 ? static_cast<int64_t>(std::clamp(std::ceil(std::max(a, b)) + 1, -1.0, most)) : grid - 1;
      for (int64_t s = from; s <= to; ++s) {
        const T at = begin + (static_cast<T>(s) + T(0.5)) * bin / static_cast<T>(grid);
        if (!(at >= T(-1) && at <= static_cast<T>(size))) continue;
        const T inside = std::max(at, T(0));
        const int64_t low = std::min(static_cast<int64_t>(inside), edge);
        const T part = low >= edge ? T(0) : inside - static_cast<T>(low);
        add(low, (T(1) - part) / static_cast<T>(grid));
        if (part != 0) add(low + 1, part / static_cast<T>(grid));
      }
    }
    last = std::max(last, first);
  }
  int64_t begin(int64_t bin) const { return starts[static_cast<size_t>(bin)]; }

 private:
  void add(int64_t place, T weight) {
    const int64_t end = static_cast<int64_t>(places.size());
    for (int64_t k = end - 1; k >= std::max(starts.back(), end - 2); --k) {
      if (places[static_cast<size_t>(k)] != place) continue;
      weights[static_cast<size_t>(k)] += weight;
      return;
    }
    places.push_back(place), weights.push_back(weight);
    first = std::min(first, place), last = std::max(last, place + 1);
  }
};

template <class T> bool is_usable(const T* box, double scale) {
  return std::all_of(box, box + 4, [&](T v) { return std::abs(static_cast<double>(v) * scale) <= most_of_a_coordinate; });
}

template <class T> struct BoxAxes {
  Axis<T> down, across;

  void reset(const Regions& r, int64_t number) {
    const T *const box = r.boxes.data<T>() + 4 * number, scale = static_cast<T>(r.scale), offset = r.aligned ? T(0.5) : T(0);
    const bool usable = is_usable(box, r.scale);
    const auto axis = [&](Axis<T>& to, int k, int64_t size, int64_t bins) {
      const T start = usable ? box[k] * scale - offset : T(-2);  // nothing is inside
      T extent = usable ? box[k + 2] * scale - offset - start : T(0);
      if (!r.aligned && usable) extent = std::max(extent, T(1));
      to.reset(start, extent, size, bins, r.samples);
    };
    axis(down, 1, r.rows, r.height), axis(across, 0, r.columns, r.width);
  }
};

// line[first..last) = sums of rows of an image for a bin
template <class T> HWY_INLINE void add_rows(const T* image, int64_t columns, const BoxAxes<T>& axes, int64_t bin, T* line) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t begin = axes.down.begin(bin), end = axes.down.begin(bin + 1);
  for (int64_t c = axes.across.first; c < axes.across.last; c += lanes) {
    const int64_t some = std::min(lanes, axes.across.last - c);
    V sum(0);
    for (int64_t k = begin; k < end; ++k) {
      const T* const from = image + axes.down.places[static_cast<size_t>(k)] * columns + c;
      const V values = some == lanes ? V(hn::LoadU(d, from)) : load_some(from, some);
      sum = V(hn::MulAdd(values.v, hn::Set(d, axes.down.weights[static_cast<size_t>(k)]), sum.v));
    }
    hn::StoreU(sum.v, d, line + c);  // line has room for a whole vector
  }
}

// image += line times the weights of a bin's rows
template <class T> HWY_INLINE void spread_line(const T* line, int64_t columns, const BoxAxes<T>& axes, int64_t bin, T* image) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = axes.down.begin(bin); k < axes.down.begin(bin + 1); ++k) {
    T* const to = image + axes.down.places[static_cast<size_t>(k)] * columns;
    const auto weight = hn::Set(d, axes.down.weights[static_cast<size_t>(k)]);
    for (int64_t c = axes.across.first; c < axes.across.last; c += lanes) {
      const int64_t some = std::min(lanes, axes.across.last - c);
      const auto values = hn::LoadU(d, line + c);
      if (some == lanes) {
        hn::StoreU(hn::MulAdd(values, weight, hn::LoadU(d, to + c)), d, to + c);
      } else {
        store_some(V(hn::MulAdd(values, weight, load_some(to + c, some).v)), to + c, some);
      }
    }
  }
}

template <class T> std::vector<T> line_for(const Regions& r) {
  return std::vector<T>(static_cast<size_t>(r.columns) + hn::MaxLanes(hn::ScalableTag<T>()));
}

template <class T> void align(const RoiAlignPlan& plan) {
  const Regions& r = plan.regions;
  const int64_t work = r.height * (r.columns / 8 + r.width * 8);  // about, of a channel of a box
  parallel_for(r.count() * r.channels, std::max<int64_t>(1, 32768 / work), [&](int64_t begin, int64_t end) {
    BoxAxes<T> axes;
    std::vector<T> line = line_for<T>(r);
    for (int64_t at = begin; at < end; ++at) {
      const int64_t box = at / r.channels, channel = at % r.channels;
      if (at == begin || channel == 0) {
        look_for_interrupt();
        axes.reset(r, box);
      }
      const int64_t image = r.index.data<int64_t>()[box] - 1;
      const T* const x = plan.x.data<T>() + (image * r.channels + channel) * r.plane();
      T* const out = plan.out.data<T>() + at * r.bins();
      for (int64_t p = 0; p < r.height; ++p) {
        add_rows(x, r.columns, axes, p, line.data());
        for (int64_t q = 0; q < r.width; ++q) {
          T sum = 0;
          for (int64_t k = axes.across.begin(q); k < axes.across.begin(q + 1); ++k)
            sum += axes.across.weights[static_cast<size_t>(k)] * line[static_cast<size_t>(axes.across.places[static_cast<size_t>(k)])];
          out[p * r.width + q] = sum;
        }
      }
    }
  });
}

void run_roi_align(const RoiAlignPlan& plan) { (plan.x.dtype() == DType::float32 ? align<float> : align<double>)(plan); }

template <class T> void align_grad(const RoiAlignGradPlan& plan) {
  const Regions& r = plan.regions;
  const int64_t work = r.plane() + r.count() * r.height * (r.columns / 8 + r.width * 8) / std::max<int64_t>(1, r.images);
  parallel_for(r.channels, std::max<int64_t>(1, 32768 / work), [&](int64_t begin, int64_t end) {
    BoxAxes<T> axes;
    std::vector<T> line = line_for<T>(r);
    T* const x = plan.x_grad.data<T>();
    for (int64_t image = 0; image < r.images; ++image)
      std::fill(x + (image * r.channels + begin) * r.plane(), x + (image * r.channels + end) * r.plane(), T(0));
    for (int64_t box = 0; box < r.count(); ++box) {
      look_for_interrupt();
      axes.reset(r, box);
      const int64_t image = r.index.data<int64_t>()[box] - 1;
      for (int64_t channel = begin; channel < end; ++channel) {
        const T* const g = plan.g.data<T>() + (box * r.channels + channel) * r.bins();
        for (int64_t p = 0; p < r.height; ++p) {
          std::fill(line.begin() + axes.across.first, line.begin() + axes.across.last, T(0));
          for (int64_t q = 0; q < r.width; ++q) {
            for (int64_t k = axes.across.begin(q); k < axes.across.begin(q + 1); ++k)
              line[static_cast<size_t>(axes.across.places[static_cast<size_t>(k)])] +=
                  axes.across.weights[static_cast<size_t>(k)] * g[p * r.width + q];
          }
          spread_line(line.data(), r.columns, axes, p, x + (image * r.channels + channel) * r.plane());
        }
      }
    }
  });
}

void run_roi_align_grad(const RoiAlignGradPlan& plan) { (plan.g.dtype() == DType::float32 ? align_grad<float> : align_grad<double>)(plan); }

// ---- maxima

// The bins of one axis of a box, from a rounded first to a rounded last pixel.
struct PixelBins {
  std::vector<int64_t> first, last;

  // A box from pixel `start` with `extent` pixels, in an axis of `size`.
  template <class T> void reset(int64_t start, int64_t extent, int64_t size, int64_t bins) {
    first.clear(), last.clear();
    const T width = static_cast<T>(extent) / static_cast<T>(bins);
    const auto edge = [&](T at) { return std::clamp<int64_t>(static_cast<int64_t>(at) + start, 0, size); };
    for (int64_t bin = 0; bin < bins; ++bin) {
      first.push_back(edge(std::floor(static_cast<T>(bin) * width)));
      last.push_back(edge(std::ceil(static_cast<T>(bin + 1) * width)));
    }
  }
};

struct BoxBins {
  PixelBins down, across;

  template <class T> void reset(const Regions& r, int64_t number) {
    const T* const box = r.boxes.data<T>() + 4 * number;
    const bool usable = is_usable(box, r.scale);
    const auto axis = [&](PixelBins& to, int k, int64_t size, int64_t bins) {
      const auto rounded = [&](T v) { return usable ? static_cast<int64_t>(std::round(v * static_cast<T>(r.scale))) : 0; };
      const int64_t start = rounded(box[k]);
      to.reset<T>(start, std::max<int64_t>(1, rounded(box[k + 2]) - start + 1), usable ? size : 0, bins);
    };
    axis(down, 1, r.rows, r.height), axis(across, 0, r.columns, r.width);
  }
};

// The largest elements of the columns of a few rows, and their first rows: found in vectors, before bins divide the columns. NaN is larger
// than any number.
template <class T> class ColumnMaxima {
 public:
  explicit ColumnMaxima(int64_t columns)
      : columns_(columns), best_(static_cast<size_t>(columns) + hn::MaxLanes(D())), rows_(best_.size()) {}

  void find(const T* x, int64_t top, int64_t bottom, int64_t left, int64_t right) {
    const D d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t c = left; c < right; c += lanes) {
      const int64_t some = std::min(lanes, right - c);
      auto best = hn::Zero(d), rows = hn::Zero(d);
      for (int64_t i = top; i < bottom; ++i) {
        const T* const from = x + i * columns_ + c;
        const auto value = some == lanes ? hn::LoadU(d, from) : load_some(from, some).v;
        const auto stays = i > top ? hn::Or(hn::Le(value, best), hn::Ne(best, best)) : hn::FirstN(d, 0);
        best = hn::IfThenElse(stays, best, value);
        rows = hn::IfThenElse(stays, rows, hn::Set(d, static_cast<T>(i - top)));
      }
      hn::StoreU(best, d, best_.data() + c);
      hn::StoreU(rows, d, rows_.data() + c);
    }
  }

  // The first largest element in columns from left to right, and its place from 1; 0 and 0 if there is none.
  std::pair<T, int64_t> largest(int64_t top, int64_t bottom, int64_t left, int64_t right) const {
    if (top >= bottom || left >= right) return {T(0), 0};
    auto at = static_cast<size_t>(left);
    for (size_t c = at + 1; c < static_cast<size_t>(right); ++c) {
      const T value = best_[c], best = best_[at];
      const bool is_nan = value != value, was_nan = best != best;
      const bool alike = value == best || (is_nan && was_nan);
      if (alike ? rows_[c] < rows_[at] : value > best || (is_nan && !was_nan)) at = c;
    }
    return {best_[at], (top + static_cast<int64_t>(rows_[at])) * columns_ + static_cast<int64_t>(at) + 1};
  }

 private:
  using D = hn::ScalableTag<T>;
  int64_t columns_;
  std::vector<T> best_, rows_;
};

template <class T> void largest(const RoiMaxPlan& plan) {
  const Regions& r = plan.regions;
  parallel_for(r.count() * r.channels, std::max<int64_t>(1, 16384 / (r.bins() * 4)), [&](int64_t begin, int64_t end) {
    ColumnMaxima<T> lines(r.columns);
    BoxBins bins;
    T* out = plan.out.data<T>() + begin * r.bins();
    int64_t* places = plan.places.data<int64_t>() + begin * r.bins();
    for (int64_t at = begin; at < end; ++at) {
      const int64_t number = at / r.channels, channel = at % r.channels;
      if (at == begin || channel == 0) {
        look_for_interrupt();
        bins.reset<T>(r, number);
      }
      const T* const x = plan.x.data<T>() + ((r.index.data<int64_t>()[number] - 1) * r.channels + channel) * r.plane();
      for (size_t p = 0; p < bins.down.first.size(); ++p) {
        const int64_t top = bins.down.first[p], bottom = bins.down.last[p];
        lines.find(x, top, bottom, bins.across.first.front(), bins.across.last.back());
        for (size_t q = 0; q < bins.across.first.size(); ++q, ++out, ++places)
          std::tie(*out, *places) = lines.largest(top, bottom, bins.across.first[q], bins.across.last[q]);
      }
    }
  });
}

void run_roi_max(const RoiMaxPlan& plan) { (plan.x.dtype() == DType::float32 ? largest<float> : largest<double>)(plan); }

constexpr Row rows[] = {{&NmsMask::decl, &plan_nms_mask, kernel<&run_nms>()},
                        {&RoiAlign::decl, &plan_roi_align, kernel<&run_roi_align>()},
                        {&RoiAlignGrad::decl, &plan_roi_align_grad, kernel<&run_roi_align_grad>()},
                        {&RoiMax::decl, &plan_roi_max, kernel<&run_roi_max>()}};

}  // namespace

std::span<const Row> regions_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(regions_rows);
namespace cpu {
std::span<const Row> regions_rows() { return HWY_DYNAMIC_DISPATCH(regions_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
