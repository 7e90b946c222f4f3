#include "packages/distributed/reduction.h"

#include <algorithm>
#include <type_traits>

#include "engine/core/dtype.h"

namespace mt::distributed {
namespace {

constexpr size_t block = 1024;  // elements whose partial results stay in the first-level cache

template <class T> bool is_nan(T x) { return x != x; }

// `C` is the type of the arithmetic: unsigned for integers, whose sums wrap around.
template <class T, class C, class F> void fold(std::span<const void* const> inputs, void* out, size_t count, F combine, C scale) {
  C partial[block];
  for (size_t begin = 0; begin < count; begin += block) {
    const size_t n = std::min(block, count - begin);
    const T* first = static_cast<const T*>(inputs[0]) + begin;
    for (size_t i = 0; i < n; ++i) partial[i] = static_cast<C>(first[i]);
    for (const void* input : inputs.subspan(1)) {
      const T* x = static_cast<const T*>(input) + begin;
      for (size_t i = 0; i < n; ++i) partial[i] = combine(partial[i], static_cast<C>(x[i]));
    }
    T* const result = static_cast<T*>(out) + begin;
    if (scale != C(1)) {
      for (size_t i = 0; i < n; ++i) result[i] = static_cast<T>(partial[i] / scale);
    } else {
      for (size_t i = 0; i < n; ++i) result[i] = static_cast<T>(partial[i]);
    }
  }
}

// Whether elements have an order, and smallest and largest ones.
template <class T> constexpr bool has_order = !mt::is_complex<T>;

template <class T> struct Arithmetic {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  using Whole = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  using Real = typename std::conditional_t<std::is_integral_v<T>, std::type_identity<Whole>, std::type_identity<Wide>>::type;
  using type = std::conditional_t<has_order<T>, Real, T>;
};

// Calls `use` with the type of the arithmetic and the function that combines two elements.
template <class T, class F> void with_combination(Reduction reduction, F use) {
  using C = typename Arithmetic<T>::type;
  if constexpr (std::is_same_v<T, bool>) {
    if (reduction == Reduction::sum) reduction = Reduction::max;
    if (reduction == Reduction::product) reduction = Reduction::min;
  }
  using Sum = typename std::conditional_t<std::is_integral_v<T>,
                                          std::conditional_t<sizeof(T) < 8, std::type_identity<uint32_t>, std::type_identity<uint64_t>>,
                                          std::type_identity<C>>::type;  // unsigned sums wrap without undefined behaviour
  switch (reduction) {
    case Reduction::min:
      if constexpr (has_order<T>) return use(std::type_identity<C>(), [](C a, C b) { return is_nan(b) ? b : b < a ? b : a; });
      broken_invariant("a reduction of elements with an order", __FILE__, __LINE__);
    case Reduction::max:
      if constexpr (has_order<T>) return use(std::type_identity<C>(), [](C a, C b) { return is_nan(b) ? b : b > a ? b : a; });
      broken_invariant("a reduction of elements with an order", __FILE__, __LINE__);
    case Reduction::product:
      return use(std::type_identity<Sum>(), [](Sum a, Sum b) { return a * b; });
    case Reduction::sum:
    case Reduction::mean:
      return use(std::type_identity<Sum>(), [](Sum a, Sum b) { return a + b; });
  }
}

template <class T> void reduce_as(Reduction reduction, std::span<const void* const> inputs, void* out, size_t count) {
  with_combination<T>(reduction, [&]<class C>(std::type_identity<C>, auto combine) {
    fold<T, C>(inputs, out, count, combine, reduction == Reduction::mean ? static_cast<C>(inputs.size()) : C(1));
  });
}

template <class T> using Partial = std::conditional_t<!std::is_integral_v<T> && sizeof(T) < sizeof(float), float, T>;

template <class C, class From, class T, class To, class F>
void combine_all(const void* partial, const void* x, void* out, size_t count, F combine, C scale) {
  const From* const a = static_cast<const From*>(partial);
  const T* const b = static_cast<const T*>(x);
  To* const result = static_cast<To*>(out);
  if (scale != C(1)) {
    for (size_t i = 0; i < count; ++i) result[i] = static_cast<To>(combine(static_cast<C>(a[i]), static_cast<C>(b[i])) / scale);
  } else {
    for (size_t i = 0; i < count; ++i) result[i] = static_cast<To>(combine(static_cast<C>(a[i]), static_cast<C>(b[i])));
  }
}

template <class T> void step_as(Reduction reduction, const Step& step, const void* partial, const void* x, void* out, size_t count) {
  using P = Partial<T>;
  with_combination<T>(reduction, [&]<class C>(std::type_identity<C>, auto combine) {
    const C scale = step.last && reduction == Reduction::mean ? static_cast<C>(step.ranks) : C(1);
    const auto run = [&]<class From, class To>(std::type_identity<From>, std::type_identity<To>) {
      combine_all<C, From, T, To>(partial, x, out, count, combine, scale);
    };
    const std::type_identity<T> own;
    const std::type_identity<P> wide;
    if (step.second) return step.last ? run(own, own) : run(own, wide);
    step.last ? run(wide, own) : run(wide, wide);
  });
}

}  // namespace

void reduce(Reduction reduction, int32_t dtype, std::span<const void* const> inputs, void* out, size_t count) {
  dispatch<all_dtypes>(static_cast<DType>(dtype), [&]<class T>(std::type_identity<T>) { reduce_as<T>(reduction, inputs, out, count); });
}

void reduce_step(Reduction reduction, int32_t dtype, const Step& step, const void* partial, const void* x, void* out, size_t count) {
  dispatch<all_dtypes>(static_cast<DType>(dtype),
                       [&]<class T>(std::type_identity<T>) { step_as<T>(reduction, step, partial, x, out, count); });
}

int32_t partial_dtype(int32_t dtype) {
  int32_t partial = dtype;
  dispatch<all_dtypes>(static_cast<DType>(dtype), [&]<class T>(std::type_identity<T>) {
    if (!std::is_same_v<T, Partial<T>>) partial = static_cast<int32_t>(dtype_of<float>);
  });
  return partial;
}

size_t size_of(int32_t dtype) { return static_cast<size_t>(info(static_cast<DType>(dtype)).size); }

}  // namespace mt::distributed
