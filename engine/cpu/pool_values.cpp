// A row of results is the maximum of some lines of the image, element by element, and then that of neighbouring columns. With channels in
// blocks, each result is a vector, the maximum of the vectors in its window. NaN stays.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/pool_values.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "engine/core/image_blocks.h"
#include "engine/core/parallel.h"
#include "engine/cpu/pool_values.h"

#ifndef MT_ROW_ROOM
#define MT_ROW_ROOM
namespace mt::cpu {

// The elements of a row between padding, and those that vectors may read past it.
inline int64_t row_room(const PoolShape& s) {
  constexpr int64_t slack = 64;
  return s.w.pad + std::max(s.w.size, s.w.out * s.w.stride + s.w.kernel) + slack;
}

}  // namespace mt::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr float least = -std::numeric_limits<float>::infinity();

template <class V> HWY_INLINE V larger(V best, V v) { return hn::IfThenElse(hn::Or(hn::Gt(v, best), hn::IsNaN(v)), v, best); }

// The maximum of `count` lines that are `step` elements apart.
void join_lines(const float* line, int64_t count, int64_t step, int64_t width, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= width; c += lanes) {
    auto best = hn::Set(d, least);
    for (int64_t i = 0; i < count; ++i) best = larger(best, hn::LoadU(d, line + i * step + c));
    hn::StoreU(best, d, to + c);
  }
  for (; c < width; ++c) {
    float best = least;
    for (int64_t i = 0; i < count; ++i) {
      const float v = line[i * step + c];
      if (v > best || v != v) best = v;
    }
    to[c] = best;
  }
}

// Computes the results of a row by vectors, the last of which may repeat some. Returns false if there are fewer.
template <int stride, class D> bool join_columns(D d, const PoolAxis& axis, const float* from, float* y) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (axis.out < lanes) return false;
  for (int64_t done = 0; done < axis.out; done += lanes) {
    const int64_t out = std::min(done, axis.out - lanes);
    const float* const at = from + stride * out;
    auto best = hn::Set(d, least);
    for (int64_t c = 0; c < axis.kernel; c += stride) {
      if constexpr (stride == 1) {
        best = larger(best, hn::LoadU(d, at + c));
      } else {
        hn::Vec<D> even, odd;
        hn::LoadInterleaved2(d, at + c, even, odd);
        best = larger(best, even);
        if (c + 1 < axis.kernel) best = larger(best, odd);
      }
    }
    hn::StoreU(best, d, y + out);
  }
  return true;
}

template <int stride> bool join_columns(const PoolAxis& axis, const float* from, float* y) {
  return join_columns<stride>(hn::CappedTag<float, 8>(), axis, from, y) || join_columns<stride>(hn::CappedTag<float, 4>(), axis, from, y);
}

void max_values(const PoolShape& s, const float* x, float* y, float* rows) {
  const int64_t width = s.w.size, plane = s.h.size * width;
  std::fill_n(rows, cpu::row_room(s), least);
  for (int64_t p = 0; p < s.planes; ++p) {
    for (int64_t r = 0; r < s.h.out; ++r) {
      const int64_t top = r * s.h.stride - s.h.pad;
      const PoolRange lines = s.h.taps(top);
      float* const to = y + (p * s.h.out + r) * s.w.out;
      join_lines(x + p * plane + (top + lines.first) * width, std::max<int64_t>(0, lines.count()), width, width, rows + s.w.pad);
      if ((s.w.stride == 1 && join_columns<1>(s.w, rows, to)) || (s.w.stride == 2 && join_columns<2>(s.w, rows, to))) continue;
      for (int64_t out = 0; out < s.w.out; ++out) {
        float best = least;
        for (int64_t c = 0; c < s.w.kernel; ++c) {
          const float v = rows[out * s.w.stride + c];
          if (v > best || v != v) best = v;
        }
        to[out] = best;
      }
    }
  }
}

// Computes some of the channels of each block.
template <class D> void max_of_blocks(D d, const PoolShape& s, const float* x, float* y) {
  const int64_t block = s.channels;
  for (int64_t p = 0; p < s.planes; ++p) {
    for (int64_t r = 0; r < s.h.out; ++r) {
      const int64_t top = r * s.h.stride - s.h.pad;
      const PoolRange lines = s.h.taps(top);
      const float* const line = x + (p * s.h.size + top + lines.first) * s.w.size * block;
      for (int64_t out = 0; out < s.w.out; ++out, y += block) {
        const int64_t left = out * s.w.stride - s.w.pad;
        const PoolRange columns = s.w.taps(left);
        auto best = hn::Set(d, least);
        for (int64_t i = 0; i < lines.count(); ++i) {
          for (int64_t c = columns.first; c < columns.last; ++c)
            best = larger(best, hn::LoadU(d, line + (i * s.w.size + left + c) * block));
        }
        hn::StoreU(best, d, y);
      }
    }
  }
}

void max_blocks(const PoolShape& s, const float* x, float* y) {
  const hn::CappedTag<float, 16> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (s.channels < lanes) return max_of_blocks(hn::CappedTag<float, 8>(), s, x, y);
  for (int64_t c = 0; c < s.channels; c += lanes) max_of_blocks(d, s, x + c, y + c);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(max_values);
HWY_EXPORT(max_blocks);

namespace cpu {
namespace {

struct MaxValuesPlan {
  PoolShape shape;
  int64_t part;  // planes for which there is a row in `rows`
  Operand x, y, rows;
};

void run_max_values(const MaxValuesPlan& plan) {
  const PoolShape& s = plan.shape;
  const int64_t parts = (s.planes + plan.part - 1) / plan.part;
  parallel_ranges(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      PoolShape some = s;
      const int64_t first = i * plan.part;
      some.planes = std::min(plan.part, s.planes - first);
      const float* const x = plan.x.data<float>() + first * s.plane() * s.channels;
      float* const y = plan.y.data<float>() + first * s.windows() * s.channels;
      if (s.channels > 1)
        HWY_DYNAMIC_DISPATCH(max_blocks)(some, x, y);
      else
        HWY_DYNAMIC_DISPATCH(max_values)(some, x, y, plan.rows.data<float>() + i * row_room(s));
    }
  });
}

constexpr Kernel values_kernel = kernel<&run_max_values>();

std::optional<PackedLaunch> pack_max_pool(const Launch& launch, const PackingContext& context) {
  const auto& plan = *static_cast<const MaxPoolPlan*>(launch.plan());
  const PoolShape& s = plan.shape;
  const bool is_plain = s.channels == 1 && s.d.size == 1 && s.d.out == 1 && s.d.kernel == 1 && s.w.dilation == 1 && s.h.dilation == 1;
  if (!is_plain || plan.x.dtype() != DType::float32 || context.uses_of(plan.indices.storage()) != 1) return std::nullopt;
  constexpr int64_t grain = 32768;  // elements
  const int64_t part = std::max<int64_t>(1, grain / std::max<int64_t>(1, s.plane())), parts = (s.planes + part - 1) / part;
  const Tensor rows = Tensor::empty(DType::float32, {parts * row_room(s)});
  const MaxValuesPlan packed{s, part, plan.x, plan.y, rows};
  return PackedLaunch{Launch(launch.op(), cpu_device, values_kernel, {plan_type<MaxValuesPlan>, &packed}), {rows.storage_ptr()}};
}

ImageOperand images_in(const Operand& images, int64_t points) { return {images.storage(), {0, 0, points}}; }

bool is_whole(const Operand& operand) { return operand.offset() == 0 && operand.storage()->size == operand.numel(); }

template <class Plan> std::optional<ImageUse> images_of(const Launch& launch) {
  const auto& plan = *static_cast<const Plan*>(launch.plan());
  if (plan.x.dtype() != DType::float32 || plan.shape.channels != 1 || !is_whole(plan.x) || !is_whole(plan.y)) return std::nullopt;
  return ImageUse{{images_in(plan.x, plan.shape.plane()), images_in(plan.y, plan.shape.windows())}, {}};
}

// Each block of channels is a plane.
template <class Plan> void use_blocks(const Launch& launch, size_t operand, int64_t block) {
  if (operand != 0) return;
  auto& plan = *static_cast<Plan*>(launch.mutable_plan());
  plan.shape.planes /= block;
  plan.shape.channels = block;
  if constexpr (requires { plan.part; }) plan.part = std::max<int64_t>(1, plan.part / block);
}

}  // namespace

void add_pool_packing(const Kernel& of_max_pool, const Kernel& of_avg_pool) {
  add_packing(of_max_pool, &pack_max_pool);
  add_image_kernel(values_kernel, {&images_of<MaxValuesPlan>, &use_blocks<MaxValuesPlan>});
  add_image_kernel(of_avg_pool, {&images_of<AvgPoolPlan>, &use_blocks<AvgPoolPlan>});
}

}  // namespace cpu
}  // namespace mt
#endif
