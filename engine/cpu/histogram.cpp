// What the ops in engine/ops/histogram-inl.h do. Threads count into tables of their own, which are added up: whole numbers have no order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/histogram-inl.h"

constexpr int64_t grain = 1 << 15;

struct Bounds {
  double min, max;
};

template <class T> Bounds data_bounds(const Call& call, const T* x, int64_t n) {
  if (n == 0) return {-1, 1};
  double low = static_cast<double>(static_cast<Compute<T>>(x[0])), high = low;
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(static_cast<Compute<T>>(x[i]));
    low = v < low || low != low ? v : low;
    high = v > high || high != high ? v : high;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    call.fail_at(0, "elements from ", low, " to ", high, " came, finite ones or given bounds were expected");
  }
  return low == high ? Bounds{low - 1, high + 1} : Bounds{low, high};
}

// Adds the counts of n elements to counts[0 .. bins).
template <class T> void count_bins(const T* x, int64_t n, Bounds b, int64_t bins, int64_t* counts) {
  const double width = b.max - b.min, count = static_cast<double>(bins);
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(static_cast<Compute<T>>(x[i]));
    if (!(v >= b.min && v <= b.max)) continue;
    ++counts[std::min(static_cast<int64_t>((v - b.min) / width * count), bins - 1)];
  }
}

Bounds given_bounds(const Call& call) {
  const Bounds b{call.number(2), call.number(3)};
  if (!(b.min <= b.max) || !std::isfinite(b.max - b.min)) {
    call.fail_at(3, b.max, " came, a bound not below ", b.min, ", both finite, was expected");
  }
  return b;
}

int64_t given_bins(const Call& call) {
  const int64_t bins = call.integer(1);
  if (bins < 1) call.fail_at(1, bins, " came, 1 or more was expected");
  return bins;
}

void histc(Call& call) {
  const int64_t bins = given_bins(call);
  const Bounds given = given_bounds(call);
  const Tensor x = contiguous(to_dtype(call.tensor(0), float_for(call.tensor(0).dtype())));
  const Tensor out = call.output(0, x.dtype(), Shape{bins});
  dispatch(x.dtype(), [&]<class T>(std::type_identity<T>) {
    const Bounds b = given.min == given.max ? data_bounds(call, x.data<T>(), x.numel()) : given;
    std::vector<int64_t> counts(static_cast<size_t>(bins));
    std::mutex adding;
    parallel_for(x.numel(), std::max(grain, bins), [&](int64_t begin, int64_t end) {
      std::vector<int64_t> own(static_cast<size_t>(bins));
      count_bins(x.data<T>() + begin, end - begin, b, bins, own.data());
      const std::lock_guard lock(adding);
      for (size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
    });
    T* p = out.data<T>();
    for (int64_t i = 0; i < bins; ++i) p[i * out.stride(0)] = convert_element<T>(counts[static_cast<size_t>(i)]);
  });
  call.finish(0, out);
}

void bhistc(Call& call) {
  if (call.tensor(0).dim() != 2) call.fail_at(0, call.tensor(0).sizes(), " came, a matrix was expected");
  const int64_t bins = given_bins(call);
  const Bounds given = given_bounds(call);
  const Tensor x = contiguous(to_dtype(call.tensor(0), float_for(call.tensor(0).dtype())));
  const int64_t rows = x.size(0), n = x.size(1);
  const Tensor out = call.output(0, x.dtype(), Shape{rows, bins});
  dispatch(x.dtype(), [&]<class T>(std::type_identity<T>) {
    const Bounds b = given.min == given.max ? data_bounds(call, x.data<T>(), x.numel()) : given;
    parallel_for(rows, std::max<int64_t>(1, grain / (n + bins)), [&](int64_t begin, int64_t end) {
      std::vector<int64_t> counts(static_cast<size_t>(bins));
      for (int64_t r = begin; r < end; ++r) {
        std::fill(counts.begin(), counts.end(), 0);
        count_bins(x.data<T>() + r * n, n, b, bins, counts.data());
        T* p = out.data<T>() + r * out.stride(0);
        for (int64_t i = 0; i < bins; ++i) p[i * out.stride(1)] = convert_element<T>(counts[static_cast<size_t>(i)]);
      }
    });
  });
  call.finish(0, out);
}

void bincount(Call& call) {
  const Tensor& given = call.tensor(0);
  if (is_float(given.dtype()) || given.dtype() == DType::boolean)
    call.fail_at(0, given.dtype(), " came, a tensor of integers was expected");
  int64_t length = call.has(1) ? call.integer(1) : 0;
  if (length < 0) call.fail_at(1, length, " came, 0 or more was expected");
  const Tensor x = contiguous(to_dtype(given, DType::int64));
  const auto* p = x.data<int64_t>();
  const int64_t n = x.numel();
  for (int64_t i = 0; i < n; ++i) {
    if (p[i] < 1) call.fail_at(0, "element ", p[i], " came, whole numbers from 1 were expected");
    length = std::max(length, p[i]);
  }
  const bool weighted = call.has(2);
  if (weighted && call.tensor(2).numel() != n) {
    call.fail_at(2, call.tensor(2).sizes(), " came, as many elements as ", given.sizes(), " has were expected");
  }
  const DType dtype = weighted ? float_for(call.tensor(2).dtype()) : DType::int64;
  if (length >= INT64_C(1) << 60) call.fail_at(0, "element ", length, " came, a count for each number up to it would not fit in memory");
  const Tensor out = call.output(0, dtype, Shape{length});
  const Tensor totals = Tensor::empty(weighted ? DType::float64 : DType::int64, {length});
  if (weighted) {
    const Tensor weights = contiguous(to_dtype(call.tensor(2), DType::float64));
    auto* sums = totals.data<double>();
    std::fill_n(sums, length, 0.0);
    for (int64_t i = 0; i < n; ++i) sums[p[i] - 1] += weights.data<double>()[i];
  } else {
    auto* counts = totals.data<int64_t>();
    std::fill_n(counts, length, int64_t{0});
    for (int64_t i = 0; i < n; ++i) ++counts[p[i] - 1];
  }
  if (length > 0) copy(out, totals);
  call.finish(0, out);
}

// How many of n sorted elements are less than v or, from the right, equal. Without branches, which nobody foresees, searches for the next
// values begin meanwhile.
template <bool right, class T> int64_t place(const T* sorted, int64_t n, Compute<T> v) {
  const auto before = [v](T element) {
    const auto e = static_cast<Compute<T>>(element);
    return static_cast<int64_t>(right ? e <= v : e < v);
  };
  if (n == 0) return 0;
  int64_t begin = 0;
  for (int64_t rest = n; rest > 1;) {
    const int64_t half = rest / 2;
    begin += half & -before(sorted[begin + half - 1]);
    rest -= half;
  }
  return begin + before(sorted[begin]);
}

// In the order of sorting NaN is above all numbers.
template <class T> int64_t ordered_place(const T* sorted, int64_t n, Compute<T> v, bool right) {
  if (v != v) return right ? n : place<true>(sorted, n, std::numeric_limits<Compute<T>>::infinity());
  return right ? place<true>(sorted, n, v) : place<false>(sorted, n, v);
}

template <class T> void search_row(const T* sorted, int64_t n, const T* x, int64_t m, bool right, int64_t* out) {
  for (int64_t i = 0; i < m; ++i) out[i] = 1 + ordered_place(sorted, n, static_cast<Compute<T>>(x[i]), right);
}

// The values looked for, as a tensor; a number becomes one of size {1}.
Tensor looked_for(const Call& call, DType sorted) {
  const Value& value = call.arg(1);
  if (value.is_tensor()) return *value.tensor;
  const Tensor one = Tensor::empty(is_float(sorted) ? sorted : DType::float64, {1});
  dispatch(one.dtype(), [&]<class T>(std::type_identity<T>) { *one.data<T>() = element_from<T>(value.as_double()); });
  return one;
}

void searchsorted(Call& call) {
  const Tensor& given = call.tensor(0);
  const Tensor values = looked_for(call, given.dtype());
  if (given.dim() == 0) call.fail_at(0, "a tensor without dimensions came, a vector was expected");
  bool fits = given.dim() == 1 || given.dim() == values.dim();
  for (int d = 0; fits && given.dim() > 1 && d < given.dim() - 1; ++d) fits = given.size(d) == values.size(d);
  if (!fits) call.fail_at(1, values.sizes(), " came, the sizes of ", given.sizes(), " but for the last were expected");
  const DType dtype = promote(given.dtype(), values.dtype());
  const Tensor sorted = contiguous(to_dtype(given, dtype)), x = contiguous(to_dtype(values, dtype));
  const Tensor out = call.output(0, DType::int64, x.sizes());
  const Tensor dense = out.is_contiguous() ? out : Tensor::empty(DType::int64, x.sizes());
  const bool right = call.boolean(2);
  if (x.numel() > 0) {
    const bool rows = given.dim() > 1;
    const int64_t n = given.size(given.dim() - 1), m = rows ? x.size(x.dim() - 1) : x.numel();
    dispatch(dtype, [&]<class T>(std::type_identity<T>) {
      parallel_for(x.numel(), 4096, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end;) {
          const int64_t row = at / m, part = std::min(end, (row + 1) * m) - at;
          search_row(sorted.data<T>() + row * n, n, x.data<T>() + at, part, right, dense.data<int64_t>() + at);
          at += part;
        }
      });
    });
    if (dense.storage() != out.storage()) copy(out, dense);
  }
  call.finish(0, out);
}

constexpr Row rows[] = {
    {&Histc::decl, &histc}, {&Bhistc::decl, &bhistc}, {&Bincount::decl, &bincount}, {&Searchsorted::decl, &searchsorted}};

}  // namespace

std::span<const Row> histogram_rows() { return rows; }

}  // namespace mt::cpu
