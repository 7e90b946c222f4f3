// The CPU's kernels of products and convolutions of 8-bit integers. Threads share blocks of 48 rows by 64 columns of the result. Rows that
// a tile can't read where they lie are staged: windows of images, rows whose length is no multiple of 4, and elements with a sign, which
// get 128 added, and the zero point as well.
#include "engine/ops/int8.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/int8_pool.h"
#include "engine/cpu/int8_rows.h"
#include "engine/cpu/int8_sums.h"
#include "engine/cpu/int8_tiles.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/int8-inl.h"

constexpr int64_t block_rows = 48, block_panels = 4, block_columns = block_panels * int8_panel;
constexpr int64_t worth_a_thread = 1 << 20;  // products

void run_pack(const Int8PackPlan& plan) {
  const int64_t panels = int8_panels(plan.columns), bytes = int8_panel_bytes(plan.depth), blocks = int8_blocks(plan.depth);
  parallel_for(plan.groups * panels, std::max<int64_t>(1, 65536 / bytes), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      int8_t* const to = plan.packed.data<int8_t>() + p * bytes;
      std::memset(to, 0, static_cast<size_t>(bytes));
      std::array<int32_t, int8_panel> sums{};
      const int64_t group = p / panels, first = p % panels * int8_panel;
      for (int64_t c = 0; c < std::min(int8_panel, plan.columns - first); ++c) {
        const int8_t* const from = plan.weight.data<int8_t>() + (group * plan.columns + first + c) * plan.depth;
        for (int64_t k = 0; k < plan.depth; ++k) {
          to[k / int8_depth * int8_block + c * int8_depth + k % int8_depth] = from[k];
          sums[static_cast<size_t>(c)] += from[k];
        }
      }
      std::memcpy(to + blocks * int8_block, sums.data(), sizeof(sums));
    }
  });
}

// Values of columns, with room for whole panels behind them.
template <class T> std::vector<T> padded_values(const Operand& values, int64_t first, int64_t count) {
  if (!values) return {};
  std::vector<T> padded(static_cast<size_t>(int8_panels(count) * int8_panel));
  std::copy_n(values.data<T>() + first, count, padded.begin());
  return padded;
}

// The scaling of `count` columns from `first` on.
struct PaddedScaling {
  PaddedScaling(const Int8Scaling& s, int64_t first, int64_t count)
      : multiplier(padded_values<float>(s.multiplier, first, count)),
        bias(padded_values<float>(s.bias, first, count)),
        weight_zero(padded_values<int32_t>(s.weight_zero, first, count)) {}

  std::vector<float> multiplier, bias;
  std::vector<int32_t> weight_zero;
};

template <class T> const T* data_or_null(const std::vector<T>& values) { return values.empty() ? nullptr : values.data(); }

// A product of rows, which `stage` writes in unsigned bytes, and the panels of a packed weight.
struct Product {
  int64_t rows, depth, columns;
  const int8_t* packed;
  const uint8_t* direct;  // the rows where they lie, if tiles can read them
  const float* ranges;    // the scale and the zero point of x for every `rows_per_range` rows, or null
  int64_t rows_per_range;
  int32_t zero;  // of the staged elements, without ranges
  const float *multiplier, *bias;
  const int32_t* weight_zero;
  int32_t out_zero;
  DType dtype;
  std::byte* out;
  int64_t out_step;  // bytes
};

// What a thread needs for a block of rows.
struct Staging {
  std::vector<uint8_t> bytes;
  std::vector<int16_t> wide;
  std::vector<Int8Scale> scales;
  std::vector<int32_t> centred_sums, products;
};

template <class Stage>
void stage_rows(const Product& p, const Int8Kernel& kernel, int64_t first, int64_t count, const Stage& stage, Staging& s) {
  const int64_t step = int8_blocks(p.depth) * int8_depth;
  const uint8_t* from = p.direct == nullptr ? s.bytes.data() : p.direct + first * p.depth;
  if (p.direct == nullptr) stage(first, count, s.bytes.data(), step);
  if (kernel.wide) std::copy_n(from, count * step, s.wide.begin());
  for (int64_t r = 0; r < count; ++r) {
    const float* const range = p.ranges == nullptr ? nullptr : p.ranges + (first + r) / p.rows_per_range * 2;
    s.scales[static_cast<size_t>(r)] = range == nullptr ? Int8Scale{1.0F, p.zero} : Int8Scale{range[0], static_cast<int32_t>(range[1])};
  }
  if (p.weight_zero == nullptr) return;
  for (int64_t r = 0; r < count; ++r) {
    int64_t sum = -p.depth * s.scales[static_cast<size_t>(r)].zero;
    for (int64_t k = 0; k < p.depth; ++k) sum += from[r * step + k];
    s.centred_sums[static_cast<size_t>(r)] = static_cast<int32_t>(sum);
  }
}

void multiply_block(const Product& p, const Int8Kernel& kernel, int64_t first, int64_t count, int64_t panel, int64_t panels, Staging& s) {
  const int64_t blocks = int8_blocks(p.depth), step = blocks * int8_depth, bytes = int8_panel_bytes(p.depth);
  const auto* const x = kernel.wide           ? reinterpret_cast<const std::byte*>(s.wide.data())
                        : p.direct != nullptr ? reinterpret_cast<const std::byte*>(p.direct + first * p.depth)
                                              : reinterpret_cast<const std::byte*>(s.bytes.data());
  const int64_t x_step = kernel.wide ? step * 2 : step;
  const int8_t* const packed = p.packed + panel * bytes;
  for (int64_t q = 0; q < panels; q += kernel.panels) {
    const auto some = static_cast<int>(std::min<int64_t>(kernel.panels, panels - q));
    for (int64_t r = 0; r < count; r += kernel.rows) {
      kernel.multiply(static_cast<int>(std::min<int64_t>(kernel.rows, count - r)), some,
                      {x + r * x_step, x_step, packed + q * bytes, bytes, blocks, s.products.data() + r * block_columns + q * int8_panel,
                       block_columns});
    }
  }
  const int64_t column = panel * int8_panel;
  const auto from_column = [column](const auto* values) { return values == nullptr ? nullptr : values + column; };
  int8_requantize({count, std::min(panels * int8_panel, p.columns - column), s.products.data(), block_columns, packed + blocks * int8_block,
                   bytes, s.scales.data(), p.ranges != nullptr, s.centred_sums.data(), from_column(p.multiplier), from_column(p.bias),
                   from_column(p.weight_zero), p.out_zero, p.dtype, p.out_step},
                  p.out + first * p.out_step + column * size_of(p.dtype));
}

template <class Stage> void multiply(const Product& p, const Stage& stage) {
  const Int8Kernel& kernel = int8_kernel();
  const int64_t panels = int8_panels(p.columns), across = (panels + block_panels - 1) / block_panels;
  const int64_t down = (p.rows + block_rows - 1) / block_rows;
  const auto step = static_cast<size_t>(int8_blocks(p.depth) * int8_depth), room = static_cast<size_t>(std::min(p.rows, block_rows));
  const int64_t of_block = std::min(p.rows, block_rows) * std::min(p.columns, block_columns) * std::max<int64_t>(1, p.depth);
  parallel_ranges(down * across, std::max<int64_t>(1, worth_a_thread / of_block), [&](int64_t begin, int64_t end) {
    Staging s;
    if (p.direct == nullptr) s.bytes.resize(step * room);
    if (kernel.wide) s.wide.resize(step * room);
    s.scales.resize(room);
    if (p.weight_zero != nullptr) s.centred_sums.resize(room);
    s.products.resize(room * block_columns);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / across * block_rows, count = std::min(block_rows, p.rows - first), panel = i % across * block_panels;
      if (i == begin || panel == 0) stage_rows(p, kernel, first, count, stage, s);
      multiply_block(p, kernel, first, count, panel, std::min(block_panels, panels - panel), s);
    }
  });
}

// Quantises the rows of floats, and returns the bytes of x.
const std::byte* quantized_bytes(const Int8Input& input, int64_t rows, int64_t depth) {
  if (!input.ranges) return input.x.data<std::byte>();
  const float* const x = input.x.data<float>();
  float* const ranges = input.ranges.data<float>();
  uint8_t* const to = input.quantized.data<uint8_t>();
  parallel_for(rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, depth)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Int8Scale scale = int8_range(x + r * depth, depth);
      ranges[2 * r] = scale.scale;
      ranges[2 * r + 1] = static_cast<float>(scale.zero);
      int8_quantize(x + r * depth, depth, scale, DType::uint8, to + r * depth);
    }
  });
  return reinterpret_cast<const std::byte*>(to);
}

// Copies bytes of x; with `flip` numbers with a sign get 128 added.
void copy_bytes(const std::byte* from, int64_t count, bool flip, uint8_t* to) {
  if (count == 0) return;
  if (!flip) return static_cast<void>(std::memcpy(to, from, static_cast<size_t>(count)));
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(from[i] ^ std::byte{128});
}

void run_linear(const Int8LinearPlan& plan) {
  const int64_t depth = plan.depth, padded = int8_blocks(depth) * int8_depth;
  const std::byte* const x = quantized_bytes(plan.input, plan.rows, depth);
  const bool is_signed = plan.input.x.dtype() == DType::int8;
  const PaddedScaling scaling(plan.scaling, 0, plan.columns);
  const bool is_direct = !is_signed && depth == padded;
  const Product product{plan.rows,
                        depth,
                        plan.columns,
                        plan.packed.data<int8_t>(),
                        is_direct ? reinterpret_cast<const uint8_t*>(x) : nullptr,
                        plan.input.ranges ? plan.input.ranges.data<float>() : nullptr,
                        1,
                        static_cast<int32_t>(plan.scaling.zero + (is_signed ? 128 : 0)),
                        data_or_null(scaling.multiplier),
                        data_or_null(scaling.bias),
                        data_or_null(scaling.weight_zero),
                        static_cast<int32_t>(plan.scaling.out_zero),
                        plan.out.dtype(),
                        plan.out.data<std::byte>(),
                        plan.columns * size_of(plan.out.dtype())};
  multiply(product, [&](int64_t first, int64_t count, uint8_t* to, int64_t step) {
    for (int64_t r = 0; r < count; ++r) {
      copy_bytes(x + (first + r) * depth, depth, is_signed, to + r * step);
      std::fill(to + r * step + depth, to + (r + 1) * step, uint8_t{0});
    }
  });
}

// The windows of images as rows, for the channels of a group.
struct Windows {
  const Int8ConvPlan& plan;
  const std::byte* x;
  bool is_signed;
  int64_t channel, channels;  // of the group

  // What padding is filled with: the zero point of x.
  uint8_t zero_of(int64_t image) const {
    if (plan.input.ranges) return static_cast<uint8_t>(plan.input.ranges.data<float>()[2 * image + 1]);
    return static_cast<uint8_t>(plan.scaling.zero + (is_signed ? 128 : 0));
  }

  void operator()(int64_t first, int64_t count, uint8_t* to, int64_t step) const {
    const auto& [rows, lines] = plan.axes;
    const int64_t points = rows.out * lines.out;
    int64_t image = first / points, y = first % points / lines.out, column = first % lines.out;
    for (int64_t i = 0; i < count; ++i, to += step) {
      const uint8_t zero = zero_of(image);
      uint8_t* at = to;
      for (int64_t ky = 0; ky < rows.kernel; ++ky) {
        const int64_t row = y * rows.stride - rows.pad + ky * rows.dilation;
        const int64_t start = column * lines.stride - lines.pad, last = start + (lines.kernel - 1) * lines.dilation;
        const std::byte* const from = x + ((image * rows.size + row) * lines.size + start) * plan.in + channel;
        const bool is_inside = row >= 0 && row < rows.size;
        if (is_inside && start >= 0 && last < lines.size && lines.dilation == 1 && channels == plan.in) {
          copy_bytes(from, lines.kernel * channels, is_signed, at);
          at += lines.kernel * channels;
          continue;
        }
        for (int64_t kx = 0; kx < lines.kernel; ++kx, at += channels) {
          const int64_t point = start + kx * lines.dilation;
          if (is_inside && point >= 0 && point < lines.size)
            copy_bytes(from + kx * lines.dilation * plan.in, channels, is_signed, at);
          else
            std::memset(at, zero, static_cast<size_t>(channels));
        }
      }
      std::fill(at, to + step, uint8_t{0});
      if (++column < lines.out) continue;
      column = 0;
      if (++y < rows.out) continue;
      y = 0;
      ++image;
    }
  }
};

void run_conv2d(const Int8ConvPlan& plan) {
  const auto& [rows, lines] = plan.axes;
  const std::byte* const x = quantized_bytes(plan.input, plan.batch, rows.size * lines.size * plan.in);
  const bool is_signed = plan.input.x.dtype() == DType::int8;
  const int64_t channels = plan.in / plan.groups, columns = plan.columns / plan.groups, points = rows.out * lines.out;
  const int64_t depth = channels * rows.kernel * lines.kernel, bytes = size_of(plan.out.dtype());
  const auto is_plain = [](const Int8Axis& axis) { return axis.kernel == 1 && axis.stride == 1 && axis.pad == 0 && axis.size == axis.out; };
  const bool is_direct = is_plain(rows) && is_plain(lines) && plan.groups == 1 && !is_signed && depth % int8_depth == 0;
  for (int64_t group = 0; group < plan.groups; ++group) {
    const PaddedScaling scaling(plan.scaling, group * columns, columns);
    const Product product{plan.batch * points,
                          depth,
                          columns,
                          plan.packed.data<int8_t>() + group * int8_panels(columns) * int8_panel_bytes(depth),
                          is_direct ? reinterpret_cast<const uint8_t*>(x) : nullptr,
                          plan.input.ranges ? plan.input.ranges.data<float>() : nullptr,
                          points,
                          static_cast<int32_t>(plan.scaling.zero + (is_signed ? 128 : 0)),
                          data_or_null(scaling.multiplier),
                          data_or_null(scaling.bias),
                          data_or_null(scaling.weight_zero),
                          static_cast<int32_t>(plan.scaling.out_zero),
                          plan.out.dtype(),
                          plan.out.data<std::byte>() + group * columns * bytes,
                          plan.columns * bytes};
    multiply(product, Windows{plan, x, is_signed, group * channels, channels});
  }
}

constexpr Row rows[] = {{&Int8Pack::decl, &plan_int8_pack, kernel<&run_pack>()},
                        {&Int8Linear::decl, &plan_int8_linear, kernel<&run_linear>()},
                        {&Int8Conv2d::decl, &plan_int8_conv2d, kernel<&run_conv2d>()},
                        {&Int8MaxPool2d::decl, &plan_int8_max_pool2d, kernel<&run_int8_max_pool>()},
                        {&Int8Add::decl, &plan_int8_add, kernel<&run_int8_add>()},
                        {&Int8AvgPool2d::decl, &plan_int8_avg_pool2d, kernel<&run_int8_avg_pool>()}};

}  // namespace

std::span<const Row> int8_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
