// Bags of rows: one thread per element of the result. For gradients the row of each position is written out; scatter.cu adds these rows in
// the order of the positions.
#include "engine/ops/bag.h"

#include "cuda/kernels/index.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/bag-inl.h"

// The positions of bags in the index. Positions and offsets out of range have no row: the plan's checks of elements raise their errors.
struct BagPositions {
  const int64_t *index, *offsets;
  int64_t count, length, total, padding, rows;

  BagPositions(const Bags& bags, int64_t weight_rows)
      : index(elements<int64_t>(bags.index)),
        offsets(bags.offsets ? elements<int64_t>(bags.offsets) : nullptr),
        count(bags.count),
        length(bags.length),
        total(bags.index.numel()),
        padding(bags.padding),
        rows(weight_rows) {}

  MT_DEVICE int64_t inside(int64_t position) const { return position < 0 ? 0 : position > total ? total : position; }
  MT_DEVICE int64_t begin(int64_t bag) const { return offsets != nullptr ? inside(offsets[bag] - 1) : bag * length; }
  MT_DEVICE int64_t end(int64_t bag) const {
    if (offsets == nullptr) return (bag + 1) * length;
    return bag + 1 < count ? inside(offsets[bag + 1] - 1) : total;
  }
  MT_DEVICE bool counts(int64_t position) const { return index[position] != padding && is_inside(index[position], rows); }
  // The last bag that begins at or before a position; -1 if there is none.
  MT_DEVICE int64_t bag_of(int64_t position) const {
    if (offsets == nullptr) return position / length;
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (offsets[middle] - 1 <= position)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }
  MT_DEVICE double share(int64_t bag) const {
    int64_t n = 0;
    for (int64_t i = begin(bag); i < end(bag); ++i) n += counts(i) ? 1 : 0;
    return n > 0 ? 1 / static_cast<double>(n) : 0;
  }
};

template <class T> struct SumKernel {
  BagPositions positions;
  const T* weight;
  const double* factors;
  T* out;
  int64_t columns;
  bool average;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t at = t.global_index(); at < positions.count * columns; at += t.global_threads()) {
      const int64_t bag = at / columns, column = at % columns;
      double sum = 0;
      int64_t n = 0;
      for (int64_t i = positions.begin(bag); i < positions.end(bag); ++i) {
        if (!positions.counts(i)) continue;
        const auto value = static_cast<double>(widen(weight[(positions.index[i] - 1) * columns + column]));
        sum += factors != nullptr ? value * factors[i] : value;
        ++n;
      }
      out[at] = narrow<T>(average && n > 0 ? sum / static_cast<double>(n) : sum);
    }
  }
};

// The row of g of each position's bag, times the position's factor.
template <class T> struct SpreadKernel {
  BagPositions positions;
  const T* g;
  const double* factors;
  T* out;
  int64_t columns;
  bool average;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t at = t.global_index(); at < positions.total * columns; at += t.global_threads()) {
      const int64_t i = at / columns, bag = positions.bag_of(i);
      const bool has_row = bag >= 0 && positions.counts(i);
      const double factor = !has_row ? 0 : average ? positions.share(bag) : factors != nullptr ? factors[i] : 1;
      out[at] = has_row ? static_cast<T>(factor) * g[bag * columns + at % columns] : T(0);
    }
  }
};

template <class T> struct MaxKernel {
  BagPositions positions;
  const T* weight;
  T* out;
  int64_t* rows;
  int64_t columns;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t at = t.global_index(); at < positions.count * columns; at += t.global_threads()) {
      const int64_t bag = at / columns, column = at % columns;
      Compute<T> best = 0;
      int64_t row = 0;
      for (int64_t i = positions.begin(bag); i < positions.end(bag); ++i) {
        if (!positions.counts(i)) continue;
        const Compute<T> value = widen(weight[(positions.index[i] - 1) * columns + column]);
        if (row != 0 && (value <= best || best != best)) continue;
        best = value;
        row = positions.index[i];
      }
      out[at] = narrow<T>(best);
      rows[at] = row;
    }
  }
};

const double* factors_of(const Operand& factors) { return factors ? elements<double>(factors) : nullptr; }

void run_bag_sum(const BagSumPlan& plan) {
  dispatch<float_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    launch_each(op_stream(), plan.out.numel(),
                SumKernel<T>{BagPositions(plan.bags, plan.weight.size(0)), elements<T>(plan.weight), factors_of(plan.factors),
                             elements<T>(plan.out), plan.out.size(1), plan.average});
  });
}

void run_bag_sum_grad(const BagSumGradPlan& plan) {
  const int64_t total = plan.bags.index.numel(), columns = plan.out.size(1);
  if (total == 0) return;
  const Tensor out = plan.out, source = Tensor::empty(out.dtype(), {total, columns}, out.device());
  const auto spread = [&]<class T>(T) {
    launch_each(op_stream(), source.numel(),
                SpreadKernel<T>{BagPositions(plan.bags, out.size(0)), elements<T>(plan.g), factors_of(plan.factors), elements<T>(source),
                                columns, plan.average});
  };
  if (out.dtype() == DType::float32)
    spread(float());
  else
    spread(double());
  Tensor index = plan.bags.index;
  index.set_geometry(index.offset(), Shape{total}, Shape{1});
  put_slices({out, index, source, 0, Write::add});
}

void run_bag_max(const BagMaxPlan& plan) {
  dispatch<float_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    launch_each(op_stream(), plan.out.numel(),
                MaxKernel<T>{BagPositions(plan.bags, plan.weight.size(0)), elements<T>(plan.weight), elements<T>(plan.out),
                             elements<int64_t>(plan.rows), plan.out.size(1)});
  });
}

KernelRows bag_rows() {
  static constexpr KernelRow rows[] = {{BagSum::decl.name, kernel<&run_bag_sum>()},
                                       {BagSumGrad::decl.name, kernel<&run_bag_sum_grad>()},
                                       {BagMax::decl.name, kernel<&run_bag_max>()}};
  return rows;
}

}  // namespace mt::cuda
