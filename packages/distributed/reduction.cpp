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

template <class T> struct Arithmetic {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  using Whole = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  using type = typename std::conditional_t<std::is_integral_v<T>, std::type_identity<Whole>, std::type_identity<Wide>>::type;
};

template <class T> void reduce_as(Reduction reduction, std::span<const void* const> inputs, void* out, size_t count) {
  using C = typename Arithmetic<T>::type;
  const auto smallest = [](C a, C b) { return is_nan(b) ? b : b < a ? b : a; };
  const auto largest = [](C a, C b) { return is_nan(b) ? b : b > a ? b : a; };
  if constexpr (std::is_same_v<T, bool>) {
    if (reduction == Reduction::sum) reduction = Reduction::max;
    if (reduction == Reduction::product) reduction = Reduction::min;
  }
  switch (reduction) {
    case Reduction::min:
      return fold<T, C>(inputs, out, count, smallest, C(1));
    case Reduction::max:
      return fold<T, C>(inputs, out, count, largest, C(1));
    case Reduction::sum:
    case Reduction::product:
    case Reduction::mean:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<sizeof(T) < 8, uint32_t, uint64_t>;  // unsigned sums wrap without undefined behaviour
    const auto product = [](U a, U b) { return a * b; };
    const auto sum = [](U a, U b) { return a + b; };
    if (reduction == Reduction::product) return fold<T, U>(inputs, out, count, product, U(1));
    return fold<T, U>(inputs, out, count, sum, U(1));
  } else {
    const auto product = [](C a, C b) { return a * b; };
    const auto sum = [](C a, C b) { return a + b; };
    if (reduction == Reduction::product) return fold<T, C>(inputs, out, count, product, C(1));
    fold<T, C>(inputs, out, count, sum, reduction == Reduction::mean ? static_cast<C>(inputs.size()) : C(1));
  }
}

}  // namespace

void reduce(Reduction reduction, int32_t dtype, std::span<const void* const> inputs, void* out, size_t count) {
  dispatch<all_dtypes>(static_cast<DType>(dtype), [&]<class T>(std::type_identity<T>) { reduce_as<T>(reduction, inputs, out, count); });
}

size_t size_of(int32_t dtype) { return static_cast<size_t>(info(static_cast<DType>(dtype)).size); }

}  // namespace mt::distributed
