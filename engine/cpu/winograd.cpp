// Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray 2016): a tile of 6 x 6 elements of an image and a kernel are transformed to 36
// values each, whose products, summed over the channels, are transformed to 4 x 4 results. The sums of all tiles are 36 matrix products.
// The transforms interpolate at 0, +-5/8, +-3/2 and infinity; the largest error on normal deviates is 1e-5 of the result's deviation,
// and 3e-5 with the points 0, +-1, +-2 and infinity. Blocks of tiles depend on the shape alone, so that any number of threads gives the
// same bits. Zen 3, one thread, float32, forward, and with both gradients (oneDNN 2.6's direct kernels): 8 x 512 x 14 x 14 to 512: 55 ms,
// 197 (86, 294); 8 x 256 x 14 x 14 to 256: 19, 63 (25, 83). Zen 5 by AVX2, each gradient alone: 32 x 64 x 32 x 32 to 64: 10, 10 and 14 (20,
// 19 and 25). A block's images are transformed a row of tiles at a time: first down, by vectors of columns, then across, by vectors of
// tiles, of which rows of 1 or 2 tiles use a part: there the transforms of 64 channels take what the products save.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/winograd.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "engine/core/environment.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/blas.h"
#include "engine/cpu/vendor_blas.h"
#include "engine/cpu/winograd.h"

#include "engine/cpu/conv_epilogue-inl.h"
#include "engine/cpu/product_tiles-inl.h"

// Whether this instruction set has the kernels: with AVX-512 oneDNN's are faster. Better sets have lower numbers in Highway.
#undef MT_WINOGRAD
#if HWY_TARGET > HWY_AVX3 && !defined(MT_WITHOUT_BLAS)
#define MT_WINOGRAD 1
#else
#define MT_WINOGRAD 0
#endif

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

#if MT_WINOGRAD

namespace hn = hwy::HWY_NAMESPACE;
using cpu::gemm, cpu::MatrixView;

constexpr int64_t tile = cpu::winograd_tile, window = 6, kernel = 3, taps = kernel * kernel,
                  values = window * window;  // window: elements per tile
constexpr int64_t widest = 8, slack = 8;     // lanes of a vector, elements that vectors may write past a row
constexpr int64_t page = 1024, line = 16;    // elements: matrices start in different sets of the cache
constexpr int64_t block_of_tiles = 128;      // enough columns for the products, few enough to stay in the last cache
constexpr int64_t grain_of_values = 32768;   // transformed per thread

constexpr float a = 0.625F, b = 1.5F, aa = a * a, bb = b * b;                                               // the points and their squares
constexpr float at_zero = 1 / (aa * bb), at_a = 1 / (2 * aa * (aa - bb)), at_b = 1 / (2 * bb * (bb - aa));  // kernel's scale at points

template <class D> using Six = hn::Vec<D>[window];

template <class D> HWY_INLINE hn::Vec<D> times(D d, float factor, hn::Vec<D> v) { return hn::Mul(hn::Set(d, factor), v); }
template <class D> HWY_INLINE hn::Vec<D> times_add(D d, float factor, hn::Vec<D> v, hn::Vec<D> sum) {
  return hn::MulAdd(hn::Set(d, factor), v, sum);
}

// One dimension of each transform. The values at a point and at its negative are the sum and difference of an even and an odd part.
struct OfImage {
  static constexpr int64_t from = window;
  template <class D> static HWY_INLINE void apply(D d, const hn::Vec<D>* x, hn::Vec<D>* v) {
    const auto even_a = times_add(d, -bb, x[2], x[4]), odd_a = times(d, a, times_add(d, -bb, x[1], x[3]));
    const auto even_b = times_add(d, -aa, x[2], x[4]), odd_b = times(d, b, times_add(d, -aa, x[1], x[3]));
    v[0] = times_add(d, aa * bb, x[0], times_add(d, -(aa + bb), x[2], x[4]));
    v[1] = hn::Add(even_a, odd_a);
    v[2] = hn::Sub(even_a, odd_a);
    v[3] = hn::Add(even_b, odd_b);
    v[4] = hn::Sub(even_b, odd_b);
    v[5] = times_add(d, aa * bb, x[1], times_add(d, -(aa + bb), x[3], x[5]));
  }
};

struct OfKernel {
  template <class D> static HWY_INLINE void apply(D d, const hn::Vec<D>* w, hn::Vec<D>* v) {
    const auto even_a = times(d, at_a, times_add(d, aa, w[2], w[0])), odd_a = times(d, at_a * a, w[1]);
    const auto even_b = times(d, at_b, times_add(d, bb, w[2], w[0])), odd_b = times(d, at_b * b, w[1]);
    v[0] = times(d, at_zero, w[0]);
    v[1] = hn::Add(even_a, odd_a);
    v[2] = hn::Sub(even_a, odd_a);
    v[3] = hn::Add(even_b, odd_b);
    v[4] = hn::Sub(even_b, odd_b);
    v[5] = w[2];
  }
};

// Transforms products to results.
struct ToResult {
  template <class D> static HWY_INLINE void apply(D d, const hn::Vec<D>* v, hn::Vec<D>* y) {
    const auto even_a = hn::Add(v[1], v[2]), odd_a = hn::Sub(v[1], v[2]), even_b = hn::Add(v[3], v[4]), odd_b = hn::Sub(v[3], v[4]);
    y[0] = hn::Add(v[0], hn::Add(even_a, even_b));
    y[1] = times_add(d, a, odd_a, times(d, b, odd_b));
    y[2] = times_add(d, aa, even_a, times(d, bb, even_b));
    y[3] = times_add(d, aa * a, odd_a, times_add(d, bb * b, odd_b, v[5]));
  }
};

// The transposes of the last two: for a result's gradient, and for a kernel's.
struct OfResult {
  static constexpr int64_t from = tile;
  template <class D> static HWY_INLINE void apply(D d, const hn::Vec<D>* y, hn::Vec<D>* v) {
    const auto even_a = times_add(d, aa, y[2], y[0]), odd_a = times(d, a, times_add(d, aa, y[3], y[1]));
    const auto even_b = times_add(d, bb, y[2], y[0]), odd_b = times(d, b, times_add(d, bb, y[3], y[1]));
    v[0] = y[0];
    v[1] = hn::Add(even_a, odd_a);
    v[2] = hn::Sub(even_a, odd_a);
    v[3] = hn::Add(even_b, odd_b);
    v[4] = hn::Sub(even_b, odd_b);
    v[5] = y[3];
  }
};
struct ToKernel {
  template <class D> static HWY_INLINE void apply(D d, const hn::Vec<D>* v, hn::Vec<D>* w) {
    const auto even_a = times(d, at_a, hn::Add(v[1], v[2])), odd_a = times(d, at_a * a, hn::Sub(v[1], v[2]));
    const auto even_b = times(d, at_b, hn::Add(v[3], v[4])), odd_b = times(d, at_b * b, hn::Sub(v[3], v[4]));
    w[0] = times_add(d, at_zero, v[0], hn::Add(even_a, even_b));
    w[1] = hn::Add(odd_a, odd_b);
    w[2] = times_add(d, aa, even_a, times_add(d, bb, even_b, v[5]));
  }
};

// 36 matrices, one for each product of a tile. Rows have room for full vectors.
struct Matrices {
  int64_t rows, columns, row_step, step;
  Tensor space;

  Matrices(int64_t row_count, int64_t column_count)
      : rows(row_count),
        columns(column_count),
        row_step(column_count + slack),
        step((row_count * row_step + page) / page * page + line),
        space(Tensor::empty(DType::float32, {values * step})) {}
  Matrices(int64_t row_count, int64_t column_count, const Tensor& filled)
      : rows(row_count),
        columns(column_count),
        row_step(column_count + slack),
        step((row_count * row_step + page) / page * page + line),
        space(filled) {}

  float* at(int64_t value, int64_t row, int64_t column) const { return space.data<float>() + value * step + row * row_step + column; }
  MatrixView<float> matrix(int64_t value, int64_t some_columns) const { return {at(value, 0, 0), rows, some_columns, row_step, 1}; }
};

// The channels of a batch of images.
struct Planes {
  float* data;
  int64_t channels, height, width;

  float* row(int64_t image, int64_t channel, int64_t y) const { return data + ((image * channels + channel) * height + y) * width; }
};

// Rows and columns of zeros before an image.
struct Pads {
  int64_t top = 0, left = 0;
};

// Tiles of results, in rows over images.
struct Tiles {
  int64_t down, across, rows;  // rows: of the whole batch

  Tiles(int64_t batch, int64_t height, int64_t width)
      : down((height + tile - 1) / tile), across((width + tile - 1) / tile), rows(batch * down) {}
};

// Some neighbouring rows of tiles.
struct Block {
  const Tiles& tiles;
  int64_t first, count;

  int64_t size() const { return count * tiles.across; }
  int64_t image(int64_t row) const { return (first + row) / tiles.down; }
  int64_t top(int64_t row) const { return (first + row) % tiles.down * tile; }
};

// Calls f(tag, first tile) for vectors of a row of tiles; the last vector may extend beyond the row.
template <class F> HWY_INLINE void each_vector_of_tiles(int64_t across, F&& f) {
  const hn::CappedTag<float, widest> wide;
  const hn::CappedTag<float, widest / 2> narrow;
  int64_t t = 0;
  while (t < across) {
    if (across - t > widest / 2) {
      f(wide, t);
      t += static_cast<int64_t>(hn::Lanes(wide));
    } else {
      f(narrow, t);
      t += static_cast<int64_t>(hn::Lanes(narrow));
    }
  }
}

// Transforms of a row of tiles: `from` rows of elements between zeros, the first at column `pad`.
template <class Transform> class RowOfTiles {
 public:
  RowOfTiles(int64_t across, int64_t pad) : step_(tile * (across + widest) + slack), pad_(pad), across_(across) {
    space_ = Tensor::empty(DType::float32, {(Transform::from + window) * step_});
    std::fill_n(space_.data<float>(), space_.numel(), 0.0F);
  }

  void read(const Planes& planes, int64_t image, int64_t channel, int64_t top) {
    for (int64_t i = 0; i < Transform::from; ++i) {
      float* const to = given(i) + pad_;
      if (const int64_t y = top + i; y >= 0 && y < planes.height)
        std::copy_n(planes.row(image, channel, y), planes.width, to);
      else
        std::fill_n(to, planes.width, 0.0F);
    }
  }

  void write(const Matrices& to, int64_t channel, int64_t first_tile) {
    const hn::CappedTag<float, widest> wide;
    const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
    for (int64_t x = 0; x < tile * across_ + window - tile; x += lanes) {
      Six<decltype(wide)> in, out;
      for (int64_t i = 0; i < Transform::from; ++i) in[i] = hn::LoadU(wide, given(i) + x);
      Transform::apply(wide, in, out);
      for (int64_t i = 0; i < window; ++i) hn::StoreU(out[i], wide, down(i) + x);
    }
    each_vector_of_tiles(across_, [&](auto d, int64_t t) HWY_ATTR {
      for (int64_t i = 0; i < window; ++i) {
        const float* const at = down(i) + tile * t;
        Six<decltype(d)> in, out;
        hn::LoadInterleaved4(d, at, in[0], in[1], in[2], in[3]);
        if constexpr (Transform::from > tile) {
          hn::Vec<decltype(d)> unused[2];
          hn::LoadInterleaved4(d, at + tile, in[4], in[5], unused[0], unused[1]);
        }
        Transform::apply(d, in, out);
        for (int64_t j = 0; j < window; ++j) hn::StoreU(out[j], d, to.at(i * window + j, channel, first_tile + t));
      }
    });
  }

 private:
  float* given(int64_t i) const { return space_.data<float>() + i * step_; }
  float* down(int64_t i) const { return space_.data<float>() + (Transform::from + i) * step_; }

  const int64_t step_, pad_, across_;
  Tensor space_;
};

template <class Transform> void transform(const Planes& planes, Pads pads, const Block& block, const Matrices& to) {
  const int64_t grain = std::max<int64_t>(1, grain_of_values / (values * block.size()));
  parallel_for(planes.channels, grain, [&](int64_t begin, int64_t end) {
    RowOfTiles<Transform> tiles(block.tiles.across, pads.left);
    for (int64_t channel = begin; channel < end; ++channel)
      for (int64_t row = 0; row < block.count; ++row) {
        tiles.read(planes, block.image(row), channel, block.top(row) - pads.top);
        tiles.write(to, channel, row * block.tiles.across);
      }
  });
}

void write_results(const Matrices& from, const Block& block, const float* bias, const cpu::ConvEpilogue& epilogue, const Planes& planes) {
  const int64_t step = tile * (block.tiles.across + widest), grain = std::max<int64_t>(1, grain_of_values / (values * block.size()));
  parallel_for(planes.channels, grain, [&](int64_t begin, int64_t end) {
    const Tensor space = Tensor::empty(DType::float32, {tile * step});
    float* const rows = space.data<float>();
    for (int64_t channel = begin; channel < end; ++channel)
      for (int64_t row = 0; row < block.count; ++row) {
        each_vector_of_tiles(block.tiles.across, [&](auto d, int64_t t) HWY_ATTR {
          const float* const at = from.at(0, channel, row * block.tiles.across + t);
          hn::Vec<decltype(d)> half[tile][window];
          for (int64_t j = 0; j < window; ++j) {
            Six<decltype(d)> in;
            hn::Vec<decltype(d)> out[tile];
            for (int64_t i = 0; i < window; ++i) in[i] = hn::LoadU(d, at + (i * window + j) * from.step);
            ToResult::apply(d, in, out);
            for (int64_t i = 0; i < tile; ++i) half[i][j] = out[i];
          }
          const auto start = hn::Set(d, bias ? bias[channel] : 0.0F);
          for (int64_t i = 0; i < tile; ++i) {
            hn::Vec<decltype(d)> out[tile];
            ToResult::apply(d, half[i], out);
            hn::StoreInterleaved4(hn::Add(out[0], start), hn::Add(out[1], start), hn::Add(out[2], start), hn::Add(out[3], start), d,
                                  rows + i * step + tile * t);
          }
        });
        const int64_t top = block.top(row), some = std::min(tile, planes.height - top);
        for (int64_t i = 0; i < some; ++i) {
          float* const to = planes.row(block.image(row), channel, top + i);
          const float* const added = epilogue.added != nullptr ? epilogue.added + (to - planes.data) : nullptr;
          finish_convolution(rows + i * step, planes.width, added, epilogue.relu, to);
        }
      }
  });
}

// The kernels (out, in, 3, 3) as 36 matrices (out, in), rotated by half a turn for the gradient of the input.
void transform_kernels(const float* weight, bool rotated, const Matrices& to) {
  parallel_for(to.rows, std::max<int64_t>(1, grain_of_values / (values * to.columns)), [&](int64_t begin, int64_t end) {
    const hn::CappedTag<float, widest> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    HWY_ALIGN float gathered[taps * widest] = {};
    for (int64_t row = begin; row < end; ++row)
      for (int64_t column = 0; column < to.columns; column += lanes) {
        const float* const from = weight + (row * to.columns + column) * taps;
        const int64_t some = std::min(lanes, to.columns - column);
        for (int64_t lane = 0; lane < some; ++lane)
          for (int64_t tap = 0; tap < taps; ++tap) gathered[tap * widest + lane] = from[lane * taps + (rotated ? taps - 1 - tap : tap)];
        hn::Vec<decltype(d)> half[window][kernel];
        for (int64_t j = 0; j < kernel; ++j) {
          hn::Vec<decltype(d)> in[kernel];
          Six<decltype(d)> out;
          for (int64_t i = 0; i < kernel; ++i) in[i] = hn::Load(d, gathered + (i * kernel + j) * widest);
          OfKernel::apply(d, in, out);
          for (int64_t i = 0; i < window; ++i) half[i][j] = out[i];
        }
        for (int64_t i = 0; i < window; ++i) {
          Six<decltype(d)> out;
          OfKernel::apply(d, half[i], out);
          for (int64_t j = 0; j < window; ++j) hn::StoreU(out[j], d, to.at(i * window + j, row, column));
        }
      }
  });
}

void write_kernels(const Matrices& from, float* weight) {
  parallel_for(from.rows, std::max<int64_t>(1, grain_of_values / (values * from.columns)), [&](int64_t begin, int64_t end) {
    const hn::CappedTag<float, widest> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    HWY_ALIGN float scattered[taps * widest];
    for (int64_t row = begin; row < end; ++row)
      for (int64_t column = 0; column < from.columns; column += lanes) {
        hn::Vec<decltype(d)> half[kernel][window];
        for (int64_t j = 0; j < window; ++j) {
          Six<decltype(d)> in;
          hn::Vec<decltype(d)> out[kernel];
          for (int64_t i = 0; i < window; ++i) in[i] = hn::LoadU(d, from.at(i * window + j, row, column));
          ToKernel::apply(d, in, out);
          for (int64_t i = 0; i < kernel; ++i) half[i][j] = out[i];
        }
        for (int64_t i = 0; i < kernel; ++i) {
          hn::Vec<decltype(d)> out[kernel];
          ToKernel::apply(d, half[i], out);
          for (int64_t j = 0; j < kernel; ++j) hn::Store(out[j], d, scattered + (i * kernel + j) * widest);
        }
        float* const to = weight + (row * from.columns + column) * taps;
        const int64_t some = std::min(lanes, from.columns - column);
        for (int64_t lane = 0; lane < some; ++lane)
          for (int64_t tap = 0; tap < taps; ++tap) to[lane * taps + tap] = scattered[tap * widest + lane];
      }
  });
}

template <class F> void each_product(F f) {
  parallel_for(values, 1, [&](int64_t begin, int64_t end) {
    for (int64_t value = begin; value < end; ++value) f(value);
  });
}

// Calls f(block) for rows of tiles, about `block_of_tiles` in a block.
template <class F> void each_block(const Tiles& tiles, F f) {
  const int64_t blocks = std::clamp<int64_t>(tiles.rows * tiles.across / block_of_tiles, 1, tiles.rows);
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t first = tiles.rows * i / blocks;
    f(Block{tiles, first, tiles.rows * (i + 1) / blocks - first});
  }
}
int64_t largest_block(const Tiles& tiles) {
  int64_t most = 0;
  each_block(tiles, [&](const Block& block) { most = std::max(most, block.size()); });
  return most;
}

// Computes y from x, or x's gradient from y's: a convolution with rotated kernels, from the channels of y to those of x. The kernels are
// transformed.
void convolve(const Matrices& kernels, bool rotated, int64_t batch, const Planes& from, const Planes& to, Pads pads, const float* bias,
              const cpu::ConvEpilogue& epilogue, bool kernels_are_kept) {
  const Tiles tiles(batch, to.height, to.width);
  const int64_t most = largest_block(tiles);
  const Matrices in(from.channels, most), out(to.channels, most);
  each_block(tiles, [&](const Block& block) {
    transform<OfImage>(from, pads, block, in);
    each_product([&](int64_t value) {
      if (kernels_are_kept) {  // the BLAS would copy them again for each product
        product_tiles::multiply_all({kernels.rows, kernels.columns, block.size(), kernels.at(value, 0, 0), kernels.row_step,
                                     in.at(value, 0, 0), product_tiles::panel_width(), in.row_step, nullptr, false, out.at(value, 0, 0),
                                     out.row_step});
        return;
      }
      const auto kernel_matrix = kernels.matrix(value, kernels.columns);
      gemm<float>(1, rotated ? kernel_matrix.transposed() : kernel_matrix, in.matrix(value, block.size()), 0,
                  out.matrix(value, block.size()));
    });
    write_results(out, block, bias, epilogue, to);
  });
}

void weight_grad(const ConvShape& s, const Planes& x, const Planes& y, Pads pads, float* weight) {
  const Tiles tiles(s.batch, y.height, y.width);
  const int64_t most = largest_block(tiles);
  const Matrices kernels(s.out, s.in), of_x(s.in, most), of_y(s.out, most);
  each_block(tiles, [&](const Block& block) {
    transform<OfImage>(x, pads, block, of_x);
    transform<OfResult>(y, Pads(), block, of_y);
    each_product([&](int64_t value) {
      gemm<float>(1, of_y.matrix(value, block.size()), of_x.matrix(value, block.size()).transposed(), block.first == 0 ? 0 : 1,
                  kernels.matrix(value, kernels.columns));
    });
  });
  write_kernels(kernels, weight);
}

#endif  // MT_WINOGRAD

bool winograd_is_fastest() { return MT_WINOGRAD; }

void winograd([[maybe_unused]] ConvPass pass, [[maybe_unused]] const ConvShape& s, [[maybe_unused]] float* x,
              [[maybe_unused]] float* weight, [[maybe_unused]] const float* bias, [[maybe_unused]] float* y) {
#if MT_WINOGRAD
  const ConvAxis &rows = s.axes[1], &columns = s.axes[2];
  const Planes of_x{x, s.in, rows.size, columns.size}, of_y{y, s.out, rows.out(), columns.out()};
  const Pads pads{rows.pad, columns.pad};
  if (pass == ConvPass::weight_grad) return weight_grad(s, of_x, of_y, pads, weight);
  const Matrices kernels(s.out, s.in);
  const bool rotated = pass == ConvPass::input_grad;
  transform_kernels(weight, rotated, kernels);
  if (rotated)
    convolve(kernels, true, s.batch, of_y, of_x, {kernel - 1 - pads.top, kernel - 1 - pads.left}, nullptr, {}, false);
  else
    convolve(kernels, false, s.batch, of_x, of_y, pads, bias, {}, false);
#endif
}

Tensor transformed_kernels([[maybe_unused]] const ConvShape& s, [[maybe_unused]] const float* weight) {
#if MT_WINOGRAD
  const Matrices kernels(s.out, s.in);
  transform_kernels(weight, false, kernels);
  return kernels.space;
#else
  return {};
#endif
}

void packed_winograd([[maybe_unused]] const ConvShape& s, [[maybe_unused]] const float* x, [[maybe_unused]] const Tensor& kernels,
                     [[maybe_unused]] const float* bias, [[maybe_unused]] const cpu::ConvEpilogue& epilogue, [[maybe_unused]] float* y) {
#if MT_WINOGRAD
  const ConvAxis &rows = s.axes[1], &columns = s.axes[2];
  convolve(Matrices(s.out, s.in, kernels), false, s.batch, {const_cast<float*>(x), s.in, rows.size, columns.size},
           {y, s.out, rows.out(), columns.out()}, {rows.pad, columns.pad}, bias, epilogue, true);
#endif
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(winograd_is_fastest);
HWY_EXPORT(winograd);
HWY_EXPORT(transformed_kernels);
HWY_EXPORT(packed_winograd);

namespace cpu {
namespace {

bool is_allowed() {
  static const bool allowed = [] {
    const char* const wanted = own_variable("MOONTORCH_DNNL");
    return !wanted || std::strcmp(wanted, "direct") != 0;
  }();
  return allowed;
}

}  // namespace

int64_t winograd_tiles(const ConvShape& s) {
  const auto tiles = [](const ConvAxis& axis) { return (axis.out() + winograd_tile - 1) / winograd_tile; };
  return s.batch * tiles(s.axes[1]) * tiles(s.axes[2]);
}

bool winograd_applies(const ConvShape& s, int64_t least_channels) {
  const auto suits = [](const ConvAxis& axis) { return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1 && axis.pad <= 1; };
  return s.groups == 1 && s.axes[0].size == 1 && s.axes[0].plain() && suits(s.axes[1]) && suits(s.axes[2]) &&
         std::min(s.in, s.out) >= least_channels && is_allowed();
}

bool suits_winograd(const ConvShape& s) {
  constexpr int64_t least_channels = 64, enough_channels = 128, least_tiles = 32, most_kernels = 1 << 20;  // their 36 values take 151 MB
  const int64_t channels = std::min(s.in, s.out);
  return winograd_applies(s) && channels >= (s.axes[2].out() > 2 * winograd_tile ? least_channels : enough_channels) &&
         s.in * s.out <= most_kernels && winograd_tiles(s) >= least_tiles && vendor_blas<float>() &&
         HWY_DYNAMIC_DISPATCH(winograd_is_fastest)();
}

// With the transformed kernels at hand, fewer channels pay than with kernels to transform, if there are enough tiles for their memory: for
// one image of 56 x 56 with 64 channels, or of 28 x 28 with 128, they save 0.4 to 0.8 ms of 2.8 alone, but not among the layers of a
// network.
bool suits_packed_winograd(const ConvShape& s) {
  constexpr int64_t least_channels = 96, least_tiles = 96, most_kernels = 1 << 20;
  return winograd_applies(s) && std::min(s.in, s.out) >= least_channels && s.in * s.out <= most_kernels &&
         winograd_tiles(s) >= least_tiles && vendor_blas<float>() && HWY_DYNAMIC_DISPATCH(winograd_is_fastest)();
}

std::shared_ptr<const WinogradKernels> winograd_kernels(const ConvShape& shape, const float* weight) {
  return std::make_shared<const WinogradKernels>(WinogradKernels{HWY_DYNAMIC_DISPATCH(transformed_kernels)(shape, weight)});
}

void winograd_conv(const ConvShape& shape, const float* x, const WinogradKernels& kernels, const float* bias, const ConvEpilogue& epilogue,
                   float* y) {
  HWY_DYNAMIC_DISPATCH(packed_winograd)(shape, x, kernels.space, bias, epilogue, y);
}

void winograd_conv(ConvPass pass, const ConvShape& shape, float* x, float* weight, const float* bias, float* y) {
  HWY_DYNAMIC_DISPATCH(winograd)(pass, shape, x, weight, bias, y);
}

}  // namespace cpu
}  // namespace mt
#endif
