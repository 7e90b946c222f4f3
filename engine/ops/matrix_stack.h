// What the ops of linear algebra share: every matrix is copied into a column-major stack of its own, in which the kernels work; a result
// that nobody gave is that stack.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/cpu/iterator.h"
#include "engine/ops/linalg.h"

namespace mt::linalg {

constexpr int64_t work_a_thread = 200'000;  // multiplications

// The dtype of a call's results, and that in which it is computed.
struct Types {
  DType result = DType::float64, computed = DType::float64;

  Types(const Call& call, int tensors) {
    for (int i = 0; i < tensors; ++i) {
      const DType dtype = call.tensor(i).dtype();
      if (!is_float(dtype)) call.fail_at(i, dtype, " came, a tensor of floats was expected");
      result = i == 0 ? dtype : promote(result, dtype);
    }
    computed = size_of(result) == 2 ? DType::float32 : result;
    for (size_t i = 0; i < call.results.size(); ++i) expect_result(call, static_cast<int>(i), result);
  }
  // A given result of another dtype is refused before anything is computed.
  static void expect_result(const Call& call, int i, DType dtype) {
    if (call.is_given(i) && call.result(i).dtype() != dtype)
      fail(call.name(), call.op.decl->signature.results[i], call.result(i).dtype(), " came, ", dtype, " was expected");
  }
};

// Calls f with the kernels for a dtype, float or double.
template <class F> void with_kernels(const Call& call, DType dtype, F f) {
  const auto& tables = *static_cast<const LinalgTables*>(call.op.kernel.data);
  if (dtype == DType::float32)
    f(tables.single);
  else
    f(tables.twice);
}

inline Shape leading(const Tensor& t) { return Shape(t.sizes().first(static_cast<size_t>(std::max(0, t.dim() - 2)))); }
inline int64_t rows_of(const Tensor& t) { return t.size(t.dim() - 2); }
inline int64_t cols_of(const Tensor& t) { return t.size(t.dim() - 1); }

inline Shape joined(Sizes lead, std::initializer_list<int64_t> rest) {
  Shape sizes(lead);
  for (const int64_t n : rest) sizes.push(n);
  return sizes;
}

// Equally shaped matrices in memory, one after the other: column-major, or row-major where it is said.
class Stack {
 public:
  Stack(DType dtype, Sizes lead, int64_t rows, int64_t cols, bool row_major = false) : rows_(rows), cols_(cols) {
    tensor_ = Tensor::empty(dtype, row_major ? joined(lead, {rows, cols}) : joined(lead, {cols, rows}));
    if (!row_major) {
      Shape sizes(tensor_.sizes()), strides(tensor_.strides());
      const int n = sizes.size();
      std::swap(sizes[n - 1], sizes[n - 2]);
      std::swap(strides[n - 1], strides[n - 2]);
      tensor_.set_geometry(tensor_.offset(), sizes, strides);
    }
  }
  // A copy of t broadcast over `lead`.
  Stack(DType dtype, Sizes lead, const Tensor& t) : Stack(dtype, lead, linalg::rows_of(t), linalg::cols_of(t)) {
    if (tensor_.numel() > 0) copy(tensor_, expand_to(t, tensor_.sizes()));
  }
  // The same without rearranging memory where t's rows are contiguous: the kernels then see the transposes.
  static Stack as_stored(DType dtype, Sizes lead, const Tensor& t) {
    const int n = t.dim();
    Stack s(dtype, lead, linalg::rows_of(t), linalg::cols_of(t), t.stride(n - 1) < t.stride(n - 2));
    if (s.tensor_.numel() > 0) copy(s.tensor_, expand_to(t, s.tensor_.sizes()));
    return s;
  }
  const Tensor& tensor() const { return tensor_; }
  bool is_transposed() const { return cols_ > 1 && tensor_.stride(tensor_.dim() - 1) == 1; }
  // The memory read as column-major matrices, whichever they are.
  Tensor as_columns() const {
    Tensor t = tensor_;
    Shape strides(t.strides());
    const int n = t.dim();
    strides[n - 2] = 1;
    strides[n - 1] = rows_;
    t.set_geometry(t.offset(), Shape(t.sizes()), strides);
    return t;
  }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < tensor_.dim() - 2; ++d) n *= tensor_.size(d);
    return n;
  }
  template <class T> T* at(int64_t i) const { return tensor_.data<T>() + i * rows_ * cols_; }

 private:
  int64_t rows_, cols_;
  Tensor tensor_;
};

// Vectors of `n` elements, one for each matrix.
template <class T> T* vector_at(const Tensor& t, int64_t i) { return t.data<T>() + i * t.size(t.dim() - 1); }

inline const Tensor& expect_matrix(const Call& call, int arg) {
  const Tensor& t = call.tensor(arg);
  if (t.dim() < 2) call.fail_at(arg, t.sizes(), " came, a matrix or a batch of them was expected");
  if (rows_of(t) > INT_MAX || cols_of(t) > INT_MAX) call.fail_at(arg, t.sizes(), " came, sizes below 2^31 were expected");
  return t;
}

inline const Tensor& expect_square(const Call& call, int arg) {
  const Tensor& t = expect_matrix(call, arg);
  if (rows_of(t) != cols_of(t)) call.fail_at(arg, t.sizes(), " came, a square matrix was expected");
  return t;
}

// A right-hand side: a vector is a matrix of one column.
inline Tensor right_side(const Call& call, int arg, int64_t rows) {
  Tensor t = call.tensor(arg);
  if (t.dim() == 1) t.set_geometry(t.offset(), Shape{t.size(0), 1}, Shape{t.stride(0), 1});
  if (t.dim() < 2 || rows_of(t) != rows) call.fail_at(arg, call.tensor(arg).sizes(), " came, ", rows, " rows were expected");
  if (cols_of(t) > INT_MAX) call.fail_at(arg, t.sizes(), " came, sizes below 2^31 were expected");
  return t;
}

inline Shape common_lead(const Call& call, int arg, const Tensor& a, const Tensor& b) {
  return broadcast(call.name(), call.argument(arg), leading(a), leading(b));
}

// f(i) for each matrix, from several threads when there are many; `work`: multiplications for one.
template <class F> void each(const Stack& stack, int64_t work, F f) {
  if (stack.rows() == 0 || stack.cols() == 0) return;
  parallel_for(stack.count(), std::max<int64_t>(1, work_a_thread / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// Whether a given result of the right sizes is filled where it lies: a part of a larger tensor, what has strides of its own, an operand.
inline bool keeps_place(const Call& call, const Tensor& r) {
  if (!r.is_contiguous() || r.storage() == nullptr || r.numel() != r.storage()->size) return true;
  return std::ranges::any_of(call.args, [&](const Value& v) { return v.is_tensor() && v.tensor->storage() == r.storage(); });
}

// Result i becomes what was computed. A given matrix gets the layout of what was computed, column-major but for a few, as in Torch7.
inline void deliver(const Call& call, int i, const Tensor& computed, DType dtype) {
  const bool given = call.is_given(i);
  if (!given && computed.dtype() == dtype) return call.give(i, computed);
  Tensor made = given ? Tensor() : Tensor::empty(dtype, {});
  Tensor& r = given ? call.result(i) : made;
  const int n = computed.dim();
  const bool by_columns = n >= 2 && computed.stride(n - 2) < computed.stride(n - 1);
  if (by_columns && !(r.same_sizes(computed) && keeps_place(call, r))) {
    Shape sizes(computed.sizes());
    std::swap(sizes[n - 1], sizes[n - 2]);
    r.resize(call.name(), sizes);
    Shape strides(r.strides());
    std::swap(strides[n - 1], strides[n - 2]);
    r.set_geometry(r.offset(), computed.sizes(), strides);
  } else {
    r.resize(call.name(), computed.sizes());
  }
  if (computed.numel() > 0) copy(r, computed);
  if (given)
    r.touch();
  else
    call.give(i, made);
}

inline void expect_done(const Call& call, int arg, int info) {
  if (info > 0) call.fail_at(arg, "the algorithm did not converge (", info, " values were not found)");
}

[[noreturn]] inline void fail_singular(const Call& call, int arg, int info) {
  call.fail_at(arg, "U(", info, ",", info, ") is zero, singular U: a matrix that can be inverted was expected");
}

// Iterations would not end well.
template <class T> void expect_finite(const Call& call, int arg, const Stack& stack) {
  const T* const x = stack.at<T>(0);
  T sum = 0;
  for (int64_t i = 0; i < stack.tensor().numel(); ++i) sum += x[i] * 0;
  if (sum != 0) call.fail_at(arg, "NaN or infinities came, finite numbers were expected");
}

// One of the letters in `choices`, whatever its case and what follows it, or nothing.
inline bool is_choice(std::string_view text, std::string_view choices) {
  return !text.empty() && choices.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])))) != std::string_view::npos;
}

// The options of a call, which come in order, each where the letters allow it: those left out are at their defaults, the first letter of
// their choices.
template <int Count> class Options {
 public:
  Options(const Call& call, int first, const std::string_view (&choices)[Count]) {
    int slot = 0;
    for (int i = 0; i < Count; ++i) chosen_[i] = choices[i][0];
    for (int i = 0; i < Count; ++i) {
      const std::string_view text = call.string(first + i), standard = call.op.decl->signature.params[first + i].default_text;
      int fits = slot;
      while (fits < Count && !is_choice(text, choices[fits])) ++fits;
      if (fits < Count) {
        chosen_[fits] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        slot = fits + 1;
      } else if (text != standard) {
        call.fail_at(first + i, "'", text, "' came, one of the letters ", choices[i], " was expected");
      }
    }
  }
  bool is(int i, char letter) const { return chosen_[i] == letter; }

 private:
  char chosen_[Count];
};

// Zeros outside of a triangle.
template <class T> void clear_other_half(bool upper, int64_t rows, int64_t cols, T* a) {
  for (int64_t j = 0; j < cols; ++j) {
    const int64_t edge = std::min(j, rows);
    if (upper)
      std::fill(a + j * rows + std::min(j + 1, rows), a + (j + 1) * rows, T(0));
    else
      std::fill(a + j * rows, a + j * rows + edge, T(0));
  }
}

template <class T> void set_identity(const Stack& stack) {
  const int64_t n = stack.rows();
  for (int64_t m = 0; m < stack.count(); ++m)
    for (int64_t i = 0; i < n * n; ++i) stack.at<T>(m)[i] = i % (n + 1) == 0 ? T(1) : T(0);
}

template <class T> void mirror(bool upper, int64_t n, T* a) {
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < j; ++i) (upper ? a[j + i * n] : a[i + j * n]) = upper ? a[i + j * n] : a[j + i * n];
}

// LAPACK leaves -0 beside the diagonal of a diagonal matrix's inverse, which prints as -0.0000.
template <class T> void clear_signs_of_zeros(int64_t n, T* a) {
  for (int64_t i = 0; i < n * n; ++i) a[i] += T(0);
}

// x with a x = b by LU factors; both are overwritten.
inline void solve_in(const Call& call, int a_arg, DType dtype, const Stack& lu, const Stack& x) {
  const int64_t n = lu.rows(), k = x.cols();
  if (lu.tensor().numel() == 0) return;
  const Tensor pivots = Tensor::empty(DType::int32, {lu.count(), n});
  with_kernels(call, dtype, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(lu, n * n * (n / 3 + k), [&](int64_t i) {
      int32_t* const p = vector_at<int32_t>(pivots, i);
      if (const int info = kernels.lu(n, n, lu.at<T>(i), p); info > 0) fail_singular(call, a_arg, info);
      if (k > 0) kernels.lu_solve(lu.is_transposed(), n, k, lu.at<T>(i), p, x.at<T>(i));
    });
  });
}

}  // namespace mt::linalg
