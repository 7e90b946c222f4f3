// Batch normalisation of rows with one value per channel: vectors go across channels. Sums are computed for parts of at most part_rows rows
// by channel_block channels, which depend only on the shape, so that results are the same bits for any number of threads. Included once for
// each CPU instruction set, after norm_channel-inl.h: no include guard.

#include <type_traits>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/streaming-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

constexpr int64_t part_rows = 1024, rows_in_float = 64, across = 4;  // across: vectors of a row with sums in registers at once

// Two sums down some rows for as many adjacent channels as the vectors have lanes: f(tag, x, g, centre, sum, sum) adds to both.
template <size_t vectors, class T, class D, class F> HWY_INLINE void sum_columns(D d, const T* x, const T* g, const T* centre, int64_t rows,
                                                                                 int64_t stride, double* first, double* second, F&& f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN T buffer[2 * vectors * hn::MaxLanes(d)];
  for (int64_t done = 0; done < rows; done += rows_in_float) {
    hn::Vec<D> a[vectors], b[vectors], middle[vectors];
    for (size_t k = 0; k < vectors; ++k) {
      a[k] = b[k] = hn::Zero(d);
      middle[k] = hn::LoadU(d, centre + static_cast<int64_t>(k) * lanes);
    }
    for (int64_t row = done; row < std::min(rows, done + rows_in_float); ++row)
      for (size_t k = 0; k < vectors; ++k) {
        const int64_t at = row * stride + static_cast<int64_t>(k) * lanes;
        f(d, hn::LoadU(d, x + at), hn::LoadU(d, g + at), middle[k], a[k], b[k]);
      }
    for (size_t k = 0; k < vectors; ++k) {
      hn::StoreU(a[k], d, buffer + 2 * k * hn::Lanes(d));
      hn::StoreU(b[k], d, buffer + (2 * k + 1) * hn::Lanes(d));
    }
    for (int64_t k = 0; k < static_cast<int64_t>(vectors); ++k)
      for (int64_t i = 0; i < lanes; ++i) {
        first[k * lanes + i] += static_cast<double>(buffer[2 * k * lanes + i]);
        second[k * lanes + i] += static_cast<double>(buffer[(2 * k + 1) * lanes + i]);
      }
  }
}

// The same over all rows and channels.
template <class T, class F>
void sum_rows(const NormShape& s, const T* x, const T* g, const T* centre, std::vector<double>& first, std::vector<double>& second, F&& f) {
  const int64_t parts = (s.batch + part_rows - 1) / part_rows, blocks = (s.channels + channel_block - 1) / channel_block;
  std::vector<double> sums(static_cast<size_t>(2 * parts * s.channels));
  parallel_for(parts * blocks, std::max<int64_t>(1, grain_of_values / (part_rows * channel_block)), [&](int64_t begin, int64_t end) {
    const hn::ScalableTag<T> d;
    const hn::CappedTag<T, 1> one;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / blocks * part_rows, rows = std::min(part_rows, s.batch - row);
      const int64_t last = std::min(s.channels, (task % blocks + 1) * channel_block);
      double* const into = sums.data() + task / blocks * 2 * s.channels;
      int64_t c = task % blocks * channel_block;
      const auto columns = [&](auto tag, auto vectors) HWY_ATTR {
        const int64_t at = row * s.channels + c;
        sum_columns<decltype(vectors)::value, T>(tag, x + at, g + at, centre + c, rows, s.channels, into + c, into + s.channels + c, f);
        c += static_cast<int64_t>(decltype(vectors)::value * hn::Lanes(tag));
      };
      while (c + across * lanes <= last) columns(d, std::integral_constant<size_t, across>());
      while (c + lanes <= last) columns(d, std::integral_constant<size_t, 1>());
      while (c < last) columns(one, std::integral_constant<size_t, 1>());
    }
  });
  for (int64_t c = 0; c < s.channels; ++c) {
    first[c] = second[c] = 0;
    for (int64_t part = 0; part < parts; ++part) {
      first[c] += sums[part * 2 * s.channels + c];
      second[c] += sums[(part * 2 + 1) * s.channels + c];
    }
  }
}

// y = f(tag, x, g, channel) for every element, with streaming stores if the rows of y are aligned.
template <class T, class F> void map_rows(const NormShape& s, T* y, const T* x, const T* g, F&& f) {
  parallel_for(s.batch, std::max<int64_t>(1, grain_of_values / std::max<int64_t>(1, s.channels)), [&](int64_t begin, int64_t end) {
    const hn::ScalableTag<T> d;
    const hn::CappedTag<T, 1> one;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const bool streamed = is_streamed<T>(s) && s.channels % lanes == 0 && can_stream(d, y);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t at = row * s.channels;
      int64_t c = 0;
      if (streamed)
        for (; c + lanes <= s.channels; c += lanes) hn::Stream(f(d, hn::LoadU(d, x + at + c), hn::LoadU(d, g + at + c), c), d, y + at + c);
      for (; c + lanes <= s.channels; c += lanes) hn::StoreU(f(d, hn::LoadU(d, x + at + c), hn::LoadU(d, g + at + c), c), d, y + at + c);
      for (; c < s.channels; ++c) hn::StoreU(f(one, hn::LoadU(one, x + at + c), hn::LoadU(one, g + at + c), c), one, y + at + c);
    }
    hwy::FlushStream();
  });
}

// Mean and variance of every channel from differences to `centre`. False if one is so far from its mean that its variance is imprecise.
template <class T> bool moments_of_rows(const NormShape& s, const T* x, const std::vector<T>& centre, double* mean, double* variance) {
  std::vector<double> sums(centre.size()), squares(centre.size());
  sum_rows<T>(s, x, x, centre.data(), sums, squares, [](auto, auto v, auto, auto middle, auto& sum, auto& square) HWY_ATTR {
    const auto off = hn::Sub(v, middle);
    sum = hn::Add(sum, off);
    square = hn::MulAdd(off, off, square);
  });
  const auto count = static_cast<double>(s.batch);
  bool near = true;
  for (size_t c = 0; c < centre.size(); ++c) {
    const double off = sums[c] / count;
    mean[c] = static_cast<double>(centre[c]) + off;
    variance[c] = std::max(0.0, squares[c] / count - off * off);
    near = near && off * off <= 4 * variance[c];
  }
  return near;
}

template <class T> void forward_rows(const NormShape& s, const NormForward& o) {
  const auto* const x = reinterpret_cast<const T*>(o.x);
  const auto channels = static_cast<size_t>(s.channels);
  std::vector<T> mean(channels), factor(channels), shift(channels);
  if (o.training) {
    const int64_t first = std::min(s.batch, sample);
    for (int64_t c = 0; c < s.channels; ++c) {
      double sum = 0;
      for (int64_t row = 0; row < first; ++row) sum += static_cast<double>(x[row * s.channels + c]);
      mean[c] = static_cast<T>(sum / static_cast<double>(first));
    }
    if (!moments_of_rows(s, x, mean, o.mean, o.variance)) {
      for (size_t c = 0; c < channels; ++c) mean[c] = static_cast<T>(o.mean[c]);
      moments_of_rows(s, x, mean, o.mean, o.variance);
    }
  }
  for (size_t c = 0; c < channels; ++c) {
    const Affine<T> affine = affine_of<T>(o, static_cast<int64_t>(c));
    mean[c] = affine.mean, factor[c] = affine.factor, shift[c] = affine.shift;
  }
  map_rows<T>(s, reinterpret_cast<T*>(o.y), x, x, [&](auto d, auto v, auto, int64_t c) HWY_ATTR {
    return hn::MulAdd(hn::Sub(v, hn::LoadU(d, mean.data() + c)), hn::LoadU(d, factor.data() + c), hn::LoadU(d, shift.data() + c));
  });
}

template <class T> void backward_rows(const NormShape& s, const NormBackward& o) {
  const auto *const x = reinterpret_cast<const T*>(o.x), *const g = reinterpret_cast<const T*>(o.g);
  const auto channels = static_cast<size_t>(s.channels);
  std::vector<T> mean(o.mean, o.mean + channels), offset(channels), slope(channels), factor(channels);
  std::vector<double> sums(channels), dots(channels);
  sum_rows<T>(s, x, g, mean.data(), sums, dots, [](auto, auto v, auto w, auto middle, auto& sum, auto& dot) HWY_ATTR {
    sum = hn::Add(sum, w);
    dot = hn::MulAdd(hn::Sub(v, middle), w, dot);
  });
  for (size_t c = 0; c < channels; ++c) {
    const Share part = share(s, o, static_cast<int64_t>(c), sums[c], dots[c]);
    offset[c] = static_cast<T>(part.offset), slope[c] = static_cast<T>(part.slope), factor[c] = static_cast<T>(part.factor);
  }
  map_rows<T>(s, reinterpret_cast<T*>(o.x_grad), x, g, [&](auto d, auto v, auto w, int64_t c) HWY_ATTR {
    const auto off = hn::Sub(v, hn::LoadU(d, mean.data() + c));
    return hn::Mul(hn::NegMulAdd(off, hn::LoadU(d, slope.data() + c), hn::Sub(w, hn::LoadU(d, offset.data() + c))),
                   hn::LoadU(d, factor.data() + c));
  });
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
