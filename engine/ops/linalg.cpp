// Shapes, dtypes and results of decompositions and linear systems. Every matrix is copied into a column-major stack of its own, in which
// the kernels work; a result that nobody gave is that stack.
#include "engine/ops/linalg.h"

#include <climits>
#include <cmath>

#include "engine/core/iterator.h"
#include "engine/core/parallel.h"

namespace mt {
#include "engine/ops/linalg-inl.h"

namespace {

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
  const auto& tables = *static_cast<const LinalgTables*>(call.op.kernels);
  if (dtype == DType::float32)
    f(tables.single);
  else
    f(tables.twice);
}

Shape leading(const Tensor& t) { return Shape(t.sizes().first(static_cast<size_t>(std::max(0, t.dim() - 2)))); }
int64_t rows_of(const Tensor& t) { return t.size(t.dim() - 2); }
int64_t cols_of(const Tensor& t) { return t.size(t.dim() - 1); }

Shape joined(Sizes lead, std::initializer_list<int64_t> rest) {
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
  Stack(DType dtype, Sizes lead, const Tensor& t) : Stack(dtype, lead, mt::rows_of(t), mt::cols_of(t)) {
    if (tensor_.numel() > 0) copy(tensor_, expand_to(t, tensor_.sizes()));
  }
  // The same without rearranging memory where t's rows are contiguous: the kernels then see the transposes.
  static Stack as_stored(DType dtype, Sizes lead, const Tensor& t) {
    const int n = t.dim();
    Stack s(dtype, lead, mt::rows_of(t), mt::cols_of(t), t.stride(n - 1) < t.stride(n - 2));
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

const Tensor& expect_matrix(const Call& call, int arg) {
  const Tensor& t = call.tensor(arg);
  if (t.dim() < 2) call.fail_at(arg, t.sizes(), " came, a matrix or a batch of them was expected");
  if (rows_of(t) > INT_MAX || cols_of(t) > INT_MAX) call.fail_at(arg, t.sizes(), " came, sizes below 2^31 were expected");
  return t;
}

const Tensor& expect_square(const Call& call, int arg) {
  const Tensor& t = expect_matrix(call, arg);
  if (rows_of(t) != cols_of(t)) call.fail_at(arg, t.sizes(), " came, a square matrix was expected");
  return t;
}

// A right-hand side: a vector is a matrix of one column.
Tensor right_side(const Call& call, int arg, int64_t rows) {
  Tensor t = call.tensor(arg);
  if (t.dim() == 1) t.set_geometry(t.offset(), Shape{t.size(0), 1}, Shape{t.stride(0), 1});
  if (t.dim() < 2 || rows_of(t) != rows) call.fail_at(arg, call.tensor(arg).sizes(), " came, ", rows, " rows were expected");
  if (cols_of(t) > INT_MAX) call.fail_at(arg, t.sizes(), " came, sizes below 2^31 were expected");
  return t;
}

Shape common_lead(const Call& call, int arg, const Tensor& a, const Tensor& b) {
  return broadcast(call.name(), call.argument(arg), leading(a), leading(b));
}

// f(i) for each matrix, from several threads when there are many; `work`: multiplications for one.
template <class F> void each(const Stack& stack, int64_t work, F f) {
  if (stack.rows() == 0 || stack.cols() == 0) return;
  parallel_for(stack.count(), std::max<int64_t>(1, work_a_thread / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// Result i becomes what was computed. A given one keeps its strides where its sizes fit, else it gets those of what was computed.
void deliver(const Call& call, int i, const Tensor& computed, DType dtype) {
  if (!call.is_given(i)) return call.give(i, to_dtype(computed, dtype));
  Tensor& r = call.result(i);
  const int n = computed.dim();
  if (n >= 2 && !r.same_sizes(computed) && computed.stride(n - 2) < computed.stride(n - 1)) {
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
  r.touch();
}

void expect_done(const Call& call, int arg, int info) {
  if (info > 0) call.fail_at(arg, "the algorithm did not converge (", info, " values were not found)");
}

[[noreturn]] void fail_singular(const Call& call, int arg, int info) {
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
bool is_choice(std::string_view text, std::string_view choices) {
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

// x with a x = b by LU factors; both are overwritten.
void solve_in(const Call& call, int a_arg, DType dtype, const Stack& lu, const Stack& x) {
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

}  // namespace

void Gesv::run(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Stack lu(types.computed, lead, a), x(types.computed, lead, b);
  solve_in(call, 1, types.computed, lu, x);
  deliver(call, 0, x.tensor(), types.result);
  deliver(call, 1, lu.tensor(), types.result);
}

void Solve::run(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_square(call, 0), b = right_side(call, 1, rows_of(a));
  const Shape lead = common_lead(call, 1, a, b);
  const Stack lu = Stack::as_stored(types.computed, lead, a), x(types.computed, lead, b);
  solve_in(call, 0, types.computed, lu, x);
  Tensor solution = x.tensor();
  if (call.tensor(1).dim() == 1)
    solution.set_geometry(solution.offset(), joined(lead, {x.rows()}), solution.strides().first(lead.size() + 1));
  deliver(call, 0, solution, types.result);
}

void Trtrs::run(Call& call) {
  const Types types(call, 2);
  const Options<3> options(call, 2, {"UL", "NT", "NU"});
  const Triangle triangle{options.is(0, 'U'), options.is(1, 'T'), options.is(2, 'U')};
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Stack factor(types.computed, lead, a), x(types.computed, lead, b);
  const int64_t n = x.rows(), k = x.cols();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(x, n * n * k, [&](int64_t i) {
      const int info = kernels.triangular_solve(triangle, n, k, factor.at<T>(i), x.at<T>(i));
      if (info > 0) call.fail_at(1, "A(", info, ",", info, ") is zero, singular A: a matrix that can be inverted was expected");
    });
  });
  deliver(call, 0, x.tensor(), types.result);
  deliver(call, 1, factor.tensor(), types.result);
}

void Gels::run(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_matrix(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const int64_t m = rows_of(a), n = cols_of(a), k = cols_of(b), most = std::max(m, n);
  const Stack factors(types.computed, lead, a), sides(types.computed, lead, most, k), x(types.computed, lead, n, k);
  const auto first_rows = [&](int64_t rows) {
    Tensor part = sides.tensor();
    part.set_geometry(part.offset(), joined(lead, {rows, k}), Shape(part.strides()));
    return part;
  };
  if (sides.tensor().numel() > 0) {
    std::memset(sides.tensor().bytes(), 0, static_cast<size_t>(sides.tensor().numel() * size_of(types.computed)));
    if (m > 0) copy(first_rows(m), expand_to(b, joined(lead, {m, k})));
  }
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    if (k > 0)
      each(factors, m * n * std::min(m, n), [&](int64_t i) {
        const int info = kernels.least_squares(m, n, k, factors.at<T>(i), sides.at<T>(i));
        if (info > 0) call.fail_at(1, "diagonal element ", info, " of its triangular factor is zero: a matrix of full rank was expected");
      });
  });
  if (x.tensor().numel() > 0) copy(x.tensor(), first_rows(n));
  deliver(call, 0, x.tensor(), types.result);
  deliver(call, 1, factors.tensor(), types.result);
}

void Symeig::run(Call& call) {
  const Types types(call, 1);
  const Options<2> options(call, 1, {"NV", "UL"});
  const bool vectors = options.is(0, 'V');
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Stack v(types.computed, lead, a);
  const int64_t n = v.rows();
  const Tensor values = Tensor::empty(types.computed, joined(lead, {n}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    expect_finite<T>(call, 0, v);
    each(v, 4 * n * n * n, [&](int64_t i) {
      expect_done(call, 0, kernels.symmetric_eigen(vectors, options.is(1, 'U'), n, v.at<T>(i), vector_at<T>(values, i)));
    });
  });
  deliver(call, 0, values, types.result);
  deliver(call, 1, vectors ? v.tensor() : Tensor::empty(types.computed, {}), types.result);
}

void Eig::run(Call& call) {
  const Types types(call, 1);
  const Options<1> options(call, 1, {"NV"});
  const bool vectors = options.is(0, 'V');
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Stack work(types.computed, lead, a), right(types.computed, lead, vectors ? a : Tensor::empty(types.computed, joined(lead, {0, 0}))),
      values(types.computed, lead, work.rows(), 2, true);
  const int64_t n = work.rows();
  const Tensor parts = Tensor::empty(types.computed, joined(lead, {2 * n}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    expect_finite<T>(call, 0, work);
    each(work, 10 * n * n * n, [&](int64_t i) {
      T *const real = vector_at<T>(parts, i), *const imaginary = real + n;
      expect_done(call, 0, kernels.eigen(vectors, n, work.at<T>(i), real, imaginary, right.at<T>(i)));
      for (int64_t k = 0; k < n; ++k) {
        values.at<T>(i)[2 * k] = real[k];
        values.at<T>(i)[2 * k + 1] = imaginary[k];
      }
    });
  });
  deliver(call, 0, values.tensor(), types.result);
  deliver(call, 1, vectors ? right.tensor() : Tensor::empty(types.computed, {}), types.result);
}

void Svd::run(Call& call) {
  const Types types(call, 1);
  const Options<1> options(call, 1, {"SA"});
  const bool full = options.is(0, 'A');
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Stack work(types.computed, lead, a), u(types.computed, lead, m, full ? m : k), v(types.computed, lead, n, full ? n : k, true);
  const Tensor s = Tensor::empty(types.computed, joined(lead, {k}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    expect_finite<T>(call, 0, work);
    each(work, 8 * m * n * k, [&](int64_t i) {
      const Vectors wanted = full ? Vectors::full : Vectors::thin;
      expect_done(call, 0, kernels.singular(wanted, m, n, work.at<T>(i), vector_at<T>(s, i), u.at<T>(i), v.at<T>(i)));
    });
    if (k > 0 || !full) return;
    set_identity<T>(u);  // any basis will do
    set_identity<T>(v);
  });
  deliver(call, 0, u.tensor(), types.result);
  deliver(call, 1, s, types.result);
  deliver(call, 2, v.tensor(), types.result);
}

void Inverse::run(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Stack lu(types.computed, leading(a), a);
  const int64_t n = lu.rows();
  const Tensor pivots = Tensor::empty(DType::int32, {lu.count(), n});
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(lu, n * n * n, [&](int64_t i) {
      int32_t* const p = vector_at<int32_t>(pivots, i);
      int info = kernels.lu(n, n, lu.at<T>(i), p);
      if (info == 0) info = kernels.lu_inverse(n, lu.at<T>(i), p);
      if (info > 0) call.fail_at(0, "U(", info, ",", info, ") is 0, U is singular: a matrix that can be inverted was expected");
    });
  });
  deliver(call, 0, lu.tensor(), types.result);
}

namespace {

// The determinant of each matrix, from its LU factors: write(i, sign, logarithm of the magnitude, product).
template <class F> void determinants(const Call& call, const Stack& lu, DType dtype, F write) {
  const int64_t n = lu.rows();
  const Tensor pivots = Tensor::empty(DType::int32, {lu.count(), n});
  const auto finish = [&]<class T>(int64_t i, const T* a, const int32_t* p) {
    double sign = 1, logarithm = 0, product = 1;
    for (int64_t k = 0; k < n; ++k) {
      const double pivot = static_cast<double>(a[k + k * n]) * (p[k] == k + 1 ? 1 : -1);
      sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : pivot;
      logarithm += std::log(std::abs(pivot));
      product *= pivot;
    }
    write(i, sign, logarithm, product);
  };
  with_kernels(call, dtype, [&]<class T>(const LinalgKernels<T>& kernels) {
    if (n == 0)
      for (int64_t i = 0; i < lu.count(); ++i) write(i, 1.0, 0.0, 1.0);
    each(lu, n * n * n / 3, [&](int64_t i) {
      kernels.lu(n, n, lu.at<T>(i), vector_at<int32_t>(pivots, i));
      finish(i, lu.at<T>(i), vector_at<int32_t>(pivots, i));
    });
  });
}

Shape one_each(const Tensor& a) { return a.dim() == 2 ? Shape{1} : leading(a); }

// An op with one number for each matrix: value(sign, logarithm, product).
template <class F> void run_determinant(Call& call, F value) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Stack lu = Stack::as_stored(types.computed, leading(a), a);
  const Tensor results = Tensor::empty(DType::float64, one_each(a));
  determinants(call, lu, types.computed, [&](int64_t i, double sign, double logarithm, double product) {
    results.data<double>()[i] = value(sign, logarithm, product);
  });
  call.as_number = call.as_number && a.dim() == 2;
  deliver(call, 0, to_dtype(results, types.result), types.result);
}

}  // namespace

void Det::run(Call& call) {
  run_determinant(call, [](double, double, double product) { return product; });
}

void Logdet::run(Call& call) {
  run_determinant(call, [](double sign, double logarithm, double) { return sign < 0 ? std::nan("") : logarithm; });
}

void Slogdet::run(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Stack lu = Stack::as_stored(types.computed, leading(a), a);
  const Tensor signs = Tensor::empty(DType::float64, one_each(a)), logarithms = Tensor::empty(DType::float64, one_each(a));
  determinants(call, lu, types.computed, [&](int64_t i, double sign, double logarithm, double) {
    signs.data<double>()[i] = sign;
    logarithms.data<double>()[i] = logarithm;
  });
  deliver(call, 0, to_dtype(signs, types.result), types.result);
  deliver(call, 1, to_dtype(logarithms, types.result), types.result);
}

void Lu::run(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Stack work(types.computed, lead, a), p(types.computed, lead, m, m), l(types.computed, lead, m, k), u(types.computed, lead, k, n);
  const Tensor pivots = Tensor::empty(DType::int32, {work.count(), k}), orders = Tensor::empty(DType::int32, {work.count(), m});
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    parallel_for(work.count(), std::max<int64_t>(1, work_a_thread / std::max<int64_t>(1, m * n * k)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T *const factors = work.at<T>(i), *const lower = l.at<T>(i), *const upper = u.at<T>(i), *const permutation = p.at<T>(i);
        int32_t *const swaps = vector_at<int32_t>(pivots, i), *const order = vector_at<int32_t>(orders, i);
        if (k > 0) kernels.lu(m, n, factors, swaps);
        for (int64_t j = 0; j < k; ++j) {
          std::copy_n(factors + j * m, m, lower + j * m);
          std::fill_n(lower + j * m, j, T(0));
          lower[j + j * m] = 1;
        }
        for (int64_t j = 0; j < n; ++j) std::copy_n(factors + j * m, k, upper + j * k);
        clear_other_half(true, k, n, upper);
        for (int64_t row = 0; row < m; ++row) order[row] = static_cast<int32_t>(row);
        for (int64_t j = 0; j < k; ++j) std::swap(order[j], order[swaps[j] - 1]);
        std::fill_n(permutation, m * m, T(0));
        for (int64_t row = 0; row < m; ++row) permutation[order[row] + row * m] = 1;
      }
    });
  });
  deliver(call, 0, p.tensor(), types.result);
  deliver(call, 1, l.tensor(), types.result);
  deliver(call, 2, u.tensor(), types.result);
}

namespace {

// Moves the lower half of a matrix to the upper one, transposed, or the other way, and leaves zeros. By tiles, so that each cache line is
// used whole.
template <class T> void move_half(bool to_upper, int64_t n, T* a) {
  constexpr int64_t tile = 64 / static_cast<int64_t>(sizeof(T));
  for (int64_t col = 0; col < n; col += tile) {
    for (int64_t row = col; row < n; row += tile) {
      const int64_t from_col = to_upper ? col : row, from_row = to_upper ? row : col;
      if (row > col && row + tile <= n) {
        T block[tile][tile];
        for (int64_t j = 0; j < tile; ++j) {
          T* const from = a + from_row + (from_col + j) * n;
          for (int64_t i = 0; i < tile; ++i) block[i][j] = std::exchange(from[i], T(0));
        }
        for (int64_t i = 0; i < tile; ++i) std::copy_n(block[i], tile, a + from_col + (from_row + i) * n);
        continue;
      }
      for (int64_t j = col; j < std::min(n, col + tile); ++j) {
        for (int64_t i = std::max(j + 1, row); i < std::min(n, row + tile); ++i) {
          T &below = a[i + j * n], &above = a[j + i * n];
          (to_upper ? above : below) = std::exchange(to_upper ? below : above, T(0));
        }
      }
    }
  }
}

// OpenBLAS computes lower factors twice as fast as upper ones (512 doubles: 1.4 and 3.0 ms): the half that counts goes there, if it is not
// there already, and an upper factor is brought back.
void run_cholesky(Call& call, bool upper) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  Stack factor = Stack::as_stored(types.computed, leading(a), a);
  const int64_t n = factor.rows();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    const bool below = upper == factor.is_transposed();  // memory's lower half holds what is read
    each(factor, n * n * n / 6, [&](int64_t i) {
      T* const m = factor.at<T>(i);
      if (!below) move_half(false, n, m);
      const int info = kernels.cholesky(false, n, m);
      if (info > 0) call.fail_at(0, "the leading minor of order ", info, " is not positive definite");
      if (upper)
        move_half(true, n, m);
      else if (below)
        clear_other_half(false, n, n, m);
    });
  });
  deliver(call, 0, factor.as_columns(), types.result);
}

}  // namespace

void Potrf::run(Call& call) { run_cholesky(call, Options<1>(call, 1, {"UL"}).is(0, 'U')); }

void Cholesky::run(Call& call) { run_cholesky(call, call.boolean(1)); }

void Potrs::run(Call& call) {
  const Types types(call, 2);
  const bool upper = Options<1>(call, 2, {"UL"}).is(0, 'U');
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Stack factor(types.computed, lead, a), x(types.computed, lead, b);
  const int64_t n = x.rows(), k = x.cols();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(x, 2 * n * n * k, [&](int64_t i) { kernels.cholesky_solve(upper, n, k, factor.at<T>(i), x.at<T>(i)); });
  });
  deliver(call, 0, x.tensor(), types.result);
}

void Potri::run(Call& call) {
  const Types types(call, 1);
  const bool upper = Options<1>(call, 1, {"UL"}).is(0, 'U');
  const Tensor& a = expect_square(call, 0);
  const Stack inverse(types.computed, leading(a), a);
  const int64_t n = inverse.rows();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(inverse, n * n * n, [&](int64_t i) {
      const int info = kernels.cholesky_inverse(upper, n, inverse.at<T>(i));
      if (info > 0)
        call.fail_at(0, "A(", info, ",", info, ") is 0, A cannot be factorized: a factor without zeros on the diagonal was expected");
      mirror(upper, n, inverse.at<T>(i));
    });
  });
  deliver(call, 0, inverse.tensor(), types.result);
}

void Pstrf::run(Call& call) {
  const DType dtype = call.tensor(0).dtype();
  Types::expect_result(call, 1, DType::int32);
  const bool upper = Options<1>(call, 1, {"UL"}).is(0, 'U');
  if (!is_float(dtype)) call.fail_at(0, dtype, " came, a tensor of floats was expected");
  Types::expect_result(call, 0, dtype);
  const DType computed = size_of(dtype) == 2 ? DType::float32 : dtype;
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Stack factor(computed, lead, a);
  const int64_t n = factor.rows();
  const Tensor pivots = Tensor::empty(DType::int32, joined(lead, {n}));
  with_kernels(call, computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(factor, n * n * n / 6, [&](int64_t i) {
      const int info = kernels.pivoted_cholesky(upper, n, factor.at<T>(i), vector_at<int32_t>(pivots, i), call.number(2));
      if (info > 0) call.fail_at(0, "a matrix that is rank deficient or not positive semidefinite came, one of full rank was expected");
      clear_other_half(upper, n, n, factor.at<T>(i));
    });
  });
  deliver(call, 0, factor.tensor(), dtype);
  deliver(call, 1, pivots, DType::int32);
}

void Qr::run(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Stack work(types.computed, lead, a), r(types.computed, lead, k, n, true), q(types.computed, lead, m, k);
  const Tensor tau = Tensor::empty(types.computed, {work.count(), k});
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(work, 4 * m * n * k, [&](int64_t i) {
      T *const factors = work.at<T>(i), *const upper = r.at<T>(i);
      kernels.qr(m, n, factors, vector_at<T>(tau, i));
      for (int64_t row = 0; row < k; ++row)
        for (int64_t col = 0; col < n; ++col) upper[row * n + col] = row <= col ? factors[row + col * m] : T(0);
      std::copy_n(factors, m * k, q.at<T>(i));
      kernels.qr_basis(m, k, k, q.at<T>(i), vector_at<T>(tau, i));
    });
  });
  deliver(call, 0, q.tensor(), types.result);
  deliver(call, 1, r.tensor(), types.result);
}

void Geqrf::run(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const Stack factors(types.computed, lead, a);
  const int64_t m = factors.rows(), n = factors.cols(), k = std::min(m, n);
  const Tensor tau = Tensor::empty(types.computed, joined(lead, {k}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(factors, 2 * m * n * k, [&](int64_t i) { kernels.qr(m, n, factors.at<T>(i), vector_at<T>(tau, i)); });
  });
  deliver(call, 0, factors.tensor(), types.result);
  deliver(call, 1, tau, types.result);
}

namespace {

// The factors of reflectors, as many as tau has, over the batch of the matrices that hold them.
Tensor reflector_factors(const Call& call, int arg, const Tensor& m, DType dtype) {
  const Tensor& tau = call.tensor(arg);
  const int64_t most = std::min(rows_of(m), cols_of(m));
  const bool fits = tau.dim() == m.dim() - 1 && tau.size(tau.dim() - 1) <= most &&
                    std::ranges::equal(Sizes(leading(m)), tau.sizes().first(tau.dim() - 1));
  if (!fits) call.fail_at(arg, tau.sizes(), " came, at most ", most, " factors for each matrix of ", m.sizes(), " were expected");
  return contiguous(to_dtype(tau, dtype));
}

}  // namespace

void Orgqr::run(Call& call) {
  const Types types(call, 2);
  const Tensor& m = expect_matrix(call, 0);
  const Tensor tau = reflector_factors(call, 1, m, types.computed);
  const int64_t k = tau.size(tau.dim() - 1);
  Tensor columns = m;
  columns.set_geometry(m.offset(), joined(leading(m), {rows_of(m), k}), Shape(m.strides()));
  const Stack q(types.computed, leading(m), columns);
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(q, 2 * q.rows() * k * k, [&](int64_t i) { kernels.qr_basis(q.rows(), k, k, q.at<T>(i), vector_at<T>(tau, i)); });
  });
  deliver(call, 0, q.tensor(), types.result);
}

void Ormqr::run(Call& call) {
  const Types types(call, 3);
  const Options<2> options(call, 3, {"LR", "NT"});
  const bool left = options.is(0, 'L');
  const Tensor &m = expect_matrix(call, 0), &c = expect_matrix(call, 2);
  const Tensor tau = reflector_factors(call, 1, m, types.computed);
  if ((left ? rows_of(c) : cols_of(c)) != rows_of(m) || !std::ranges::equal(Sizes(leading(c)), Sizes(leading(m))))
    call.fail_at(2, c.sizes(), " came, ", rows_of(m), left ? " rows" : " columns", " for each matrix of ", m.sizes(), " were expected");
  const Stack reflectors(types.computed, leading(m), m), product(types.computed, leading(m), c);
  const int64_t k = tau.size(tau.dim() - 1);
  if (k > 0)
    with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
      each(product, 2 * product.rows() * product.cols() * k, [&](int64_t i) {
        kernels.qr_multiply(left, options.is(1, 'T'), product.rows(), product.cols(), k, reflectors.rows(), reflectors.at<T>(i),
                            vector_at<T>(tau, i), product.at<T>(i));
      });
    });
  deliver(call, 0, product.tensor(), types.result);
}

}  // namespace mt
