// Shared code of the plans of linear algebra: every matrix is copied to column-major memory, in which kernels work in place; this memory
// becomes the result if there is no out argument.
#pragma once

#include <algorithm>
#include <climits>

#include "engine/core/geometry.h"
#include "engine/ops/linalg.h"
#include "engine/ops/pointwise.h"

namespace mt::linalg {

// The dtype of a call's results, and the dtype of its computation.
struct Types {
  DType result = DType::float64, computed = DType::float64;

  // `real`: one result that is real even if the others are complex, -1 for none.
  Types(const Call& call, int tensors, int real = -1) {
    for (int i = 0; i < tensors; ++i) {
      const DType dtype = call.tensor(i).dtype();
      expect_floats(call, i, dtype);
      result = i == 0 ? dtype : promote(result, dtype);
    }
    computed = computing(result);
    for (int i = 0; i < static_cast<int>(call.results.size()); ++i) expect_result(call, i, i == real ? part() : result);
  }
  DType part() const { return real_part_of(result); }
  static DType computing(DType dtype) { return size_of(dtype) == 2 ? DType::float32 : dtype; }
  static void expect_floats(const Call& call, int arg, DType dtype) {
    if (!computed_dtypes(*call.op.decl).contains(dtype)) call.fail_at<Status::dtype>(arg, dtype, ", expected a tensor of floats");
  }
  // Refuses an out argument of another dtype before anything is computed.
  static void expect_result(const Call& call, int i, DType dtype) {
    if (call.is_given(i) && call.result(i).dtype() != dtype)
      fail<Status::dtype>(call.name(), call.op.decl->signature.results[i], call.result(i).dtype(), ", expected ", dtype);
  }
};

inline Shape leading(const Tensor& t) { return Shape(t.sizes().first(static_cast<size_t>(std::max(0, t.dim() - 2)))); }
inline int64_t rows_of(const Tensor& t) { return t.size(t.dim() - 2); }
inline int64_t cols_of(const Tensor& t) { return t.size(t.dim() - 1); }

inline Shape joined(Sizes lead, std::initializer_list<int64_t> rest) {
  Shape sizes(lead);
  for (const int64_t n : rest) sizes.push(n);
  return sizes;
}

// t with its last two dimensions swapped.
inline Tensor transposed(Tensor t) {
  Shape sizes(t.sizes()), strides(t.strides());
  const int n = sizes.size();
  std::swap(sizes[n - 1], sizes[n - 2]);
  std::swap(strides[n - 1], strides[n - 2]);
  t.set_geometry(t.offset(), sizes, strides);
  return t;
}

// New memory for matrices, column by column.
inline Tensor by_columns(const Call& call, DType dtype, Sizes lead, int64_t rows, int64_t cols) {
  return transposed(call.empty(dtype, joined(lead, {cols, rows})));
}

inline void fill_from(const Tensor& made, const Tensor& t) {
  if (made.numel() > 0) copy(made, made.same_sizes(t) ? t : expand_to(t, made.sizes()));
}

// A copy of t broadcast over `lead`.
inline Tensor by_columns(const Call& call, DType dtype, Sizes lead, const Tensor& t) {
  const Tensor made = by_columns(call, dtype, lead, rows_of(t), cols_of(t));
  fill_from(made, t);
  return made;
}

// A copy of square matrices, row by row if that avoids a transposition.
struct SquareCopy {
  Tensor matrices;
  bool row_major;

  SquareCopy(const Call& call, DType dtype, Sizes lead, const Tensor& t) {
    const int n = t.dim();
    row_major = t.size(n - 1) > 1 && t.stride(n - 1) < t.stride(n - 2);
    matrices = call.empty(dtype, joined(lead, {t.size(n - 1), t.size(n - 1)}));
    if (!row_major) matrices = transposed(std::move(matrices));
    fill_from(matrices, t);
  }
};

inline const Tensor& expect_matrix(const Call& call, int arg) {
  const Tensor& t = call.tensor(arg);
  if (t.dim() < 2) call.fail_at<Status::shape>(arg, t.sizes(), ", expected a matrix or a batch of them");
  if (rows_of(t) > INT_MAX || cols_of(t) > INT_MAX) call.fail_at<Status::shape>(arg, t.sizes(), ", expected sizes below 2^31");
  return t;
}

inline const Tensor& expect_square(const Call& call, int arg) {
  const Tensor& t = expect_matrix(call, arg);
  if (rows_of(t) != cols_of(t)) call.fail_at<Status::shape>(arg, t.sizes(), ", expected a square matrix");
  return t;
}

// A right-hand side: a vector is a matrix of one column.
inline Tensor right_side(const Call& call, int arg, int64_t rows) {
  Tensor t = call.tensor(arg);
  if (t.dim() == 1) t.set_geometry(t.offset(), Shape{t.size(0), 1}, Shape{t.stride(0), 1});
  if (t.dim() < 2 || rows_of(t) != rows) call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected ", rows, " rows");
  if (cols_of(t) > INT_MAX) call.fail_at<Status::shape>(arg, t.sizes(), ", expected sizes below 2^31");
  return t;
}

inline Shape common_lead(const Call& call, int arg, const Tensor& a, const Tensor& b) {
  return broadcast(call.name(), call.argument(arg), leading(a), leading(b));
}

// Whether an out argument of the right sizes keeps its memory: it is part of a tensor, has gaps, or shares memory with an operand.
inline bool keeps_place(const Call& call, const Tensor& r) {
  if (!r.is_contiguous() || r.storage() == nullptr || r.numel() != r.storage()->size) return true;
  return std::ranges::any_of(call.args, [&](const Value& v) { return v.is_tensor() && v.tensor->storage() == r.storage(); });
}

inline bool lies_by_columns(const Tensor& t) {
  const int n = t.dim();
  return n >= 2 && t.stride(n - 2) < t.stride(n - 1);
}

// Sets result i to a computed tensor. An out argument gets the layout of the computed tensor, mostly column-major, as in Torch7.
inline void deliver(const Call& call, int i, const Tensor& computed, DType dtype) {
  if (!call.is_given(i)) {
    if (computed.dtype() == dtype) return call.give(i, computed);
    const Tensor made =
        lies_by_columns(computed) ? transposed(call.empty(dtype, transposed(computed).sizes())) : call.empty(dtype, computed.sizes());
    if (computed.numel() > 0) copy(made, computed);
    return call.give(i, made);
  }
  Tensor& r = call.result(i);
  if (lies_by_columns(computed) && !(r.same_sizes(computed) && keeps_place(call, r))) {
    r.resize(call.name(), transposed(computed).sizes());
    Tensor view = transposed(r);
    r = std::move(view);
  } else {
    r.resize(call.name(), computed.sizes());
  }
  if (computed.numel() > 0) copy(r, computed);
  r.touch();
}

// Raises the error of an iterative kernel that refused its matrix or did not converge.
inline void expect_done(const Call& call, int arg, const MatrixFailure& failure) {
  if (failure.info == MatrixFailure::not_finite) call.fail_at(arg, "NaN or infinities, expected finite numbers");
  if (failure) call.fail_at(arg, "the algorithm did not converge (", failure.info, " values were not found)");
}

// Whether text begins with one of the letters in `choices`, in either case.
inline bool is_choice(std::string_view text, std::string_view choices) {
  return !text.empty() && choices.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])))) != std::string_view::npos;
}

// The options of a call, in order; a letter that fits a later option skips those before it. Skipped options have their defaults, the first
// letter of their choices.
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
        call.fail_at(first + i, "'", text, "', expected one of the letters ", choices[i]);
      }
    }
  }
  bool is(int i, char letter) const { return chosen_[i] == letter; }

 private:
  char chosen_[Count];
};

}  // namespace mt::linalg
