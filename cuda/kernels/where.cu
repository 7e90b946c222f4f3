// Selection between two operands by a mask: elements are copied as bits. As for elementwise functors, there are two kernels: one for
// contiguous operands, with loads of 16 bytes, and one for any layout.
#include "engine/ops/where.h"

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

#include "engine/ops/where-inl.h"

// An operand: contiguous elements, or one number.
template <class Bits> struct Choice {
  const Bits* from;  // nullptr: the number
  Bits number;
  MT_DEVICE Bits at(int64_t i) const { return from == nullptr ? number : from[i]; }
  template <int width> MT_DEVICE Pack<Bits, width> pack(int64_t i) const {
    if (from != nullptr) return load_pack<width>(from + i);
    Pack<Bits, width> same;
    for (int j = 0; j < width; ++j) same.at[j] = number;
    return same;
  }
};

template <class Bits> struct ContiguousWhere {
  static constexpr int width = pack_size<Bits>;
  Bits* out;
  const uint8_t* mask;
  Choice<Bits> x, y;
  bool packed;
  int64_t n;

  MT_DEVICE void operator()(Thread& t) const {
    const int64_t packs = packed ? n / width : 0;
    for (int64_t i = t.global_index(); i < packs; i += t.global_threads()) {
      const auto chosen = load_pack<width>(mask + i * width);
      const auto a = x.template pack<width>(i * width), b = y.template pack<width>(i * width);
      Pack<Bits, width> to;
      for (int j = 0; j < width; ++j) to.at[j] = chosen.at[j] != 0 ? a.at[j] : b.at[j];
      store_pack(out + i * width, to);
    }
    for (int64_t i = packs * width + t.global_index(); i < n; i += t.global_threads()) out[i] = mask[i] != 0 ? x.at(i) : y.at(i);
  }
};

template <class Bits, class Index> struct StridedWhere {
  Layout<4, Index> layout;
  std::byte* out;
  const uint8_t* mask;
  const std::byte *x, *y;
  Bits x_number, y_number;
  Index n;

  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[4];
      layout.find(i, at);
      const bool first = mask[at[1]] != 0;
      const std::byte* const from = first ? x : y;
      *reinterpret_cast<Bits*>(out + at[0]) =
          from == nullptr ? (first ? x_number : y_number) : *reinterpret_cast<const Bits*>(from + (first ? at[2] : at[3]));
    }
  }
};

bool is_number(const WherePlan& plan, int operand) { return (plan.numbers >> operand & 1) != 0; }

bool is_contiguous(const WherePlan& plan) {
  const Geometry& g = plan.geometry;
  if (g.dim() > 1) return false;
  for (int k = 0; k < 4; ++k) {
    if (!is_number(plan, k) && g.stride(k, 0) != (k == 1 ? 1 : plan.width)) return false;
  }
  return true;
}

template <class Bits> Choice<Bits> choice(const WherePlan& plan, int operand) {
  std::byte* const data = plan.geometry.data(operand);
  if (is_number(plan, operand)) return {nullptr, *reinterpret_cast<const Bits*>(data)};
  return {reachable<Bits>(data), Bits()};
}

template <class Bits> void run_contiguous(Stream stream, const WherePlan& plan) {
  using K = ContiguousWhere<Bits>;
  const Geometry& g = plan.geometry;
  K kernel{reachable<Bits>(g.data(0)), reachable<uint8_t>(g.data(1)), choice<Bits>(plan, 2), choice<Bits>(plan, 3), false, g.numel()};
  kernel.packed = is_pack_aligned<K::width>(kernel.out) && is_pack_aligned<K::width>(kernel.mask) &&
                  is_pack_aligned<K::width>(kernel.x.from) && is_pack_aligned<K::width>(kernel.y.from);
  launch_each(stream, kernel.packed ? g.numel() / K::width + g.numel() % K::width : g.numel(), kernel);
}

template <class Bits, class Index> void run_strided(Stream stream, const WherePlan& plan) {
  const Geometry& g = plan.geometry;
  const Choice<Bits> x = choice<Bits>(plan, 2), y = choice<Bits>(plan, 3);
  launch_each(stream, g.numel(),
              StridedWhere<Bits, Index>{Layout<4, Index>(g), reachable(g.data(0)), reachable<uint8_t>(g.data(1)),
                                        reinterpret_cast<const std::byte*>(x.from), reinterpret_cast<const std::byte*>(y.from), x.number,
                                        y.number, static_cast<Index>(g.numel())});
}

void run_where(const WherePlan& plan) {
  const Stream stream = op_stream();
  by_width(plan.width, [&]<class Bits>(Bits) {
    if (is_contiguous(plan))
      run_contiguous<Bits>(stream, plan);
    else if (plan.geometry.numel() < least_wide)
      run_strided<Bits, uint32_t>(stream, plan);
    else
      run_strided<Bits, int64_t>(stream, plan);
  });
}

}  // namespace

KernelRows where_rows() {
  static constexpr KernelRow rows[] = {{Where::decl.name, kernel<&run_where>()}};
  return rows;
}

}  // namespace mt::cuda
