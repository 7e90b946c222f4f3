// The plan of matrix products: their shapes, dtypes and results.
#include "engine/ops/matmul.h"

#include "engine/ops/common_dtype.h"
#include "engine/ops/pointwise.h"

namespace mt {
#include "engine/ops/matmul-inl.h"

namespace {

const Number zero(0), one(1);

void expect_numbers(const Call& call, DType dtype) {
  if (!computed_dtypes(*call.op.decl).contains(dtype)) call.fail_at<Status::dtype>(0, dtype, ", expected a tensor of numbers");
}

// The tensors of a call, which are its first arguments, in one dtype.
template <int Count> class Operands {
 public:
  explicit Operands(const Call& call) {
    for (int i = 0; i < Count; ++i) {
      if (!call.has(i)) continue;
      tensors_[i] = &call.tensor(i);
      dtype_ = i == 0 ? tensors_[i]->dtype() : common_dtype(call, dtype_, tensors_[i]->dtype());
    }
    expect_numbers(call, dtype_);
    for (int i = 0; i < Count; ++i) {
      if (!tensors_[i] || tensors_[i]->dtype() == dtype_) continue;
      converted_[i] = to_dtype(*tensors_[i], dtype_);
      tensors_[i] = &converted_[i];
    }
  }
  const Tensor& operator[](int i) const { return *tensors_[i]; }
  DType dtype() const { return dtype_; }

 private:
  const Tensor* tensors_[Count] = {};
  Tensor converted_[Count];
  DType dtype_ = DType::float64;
};

void expect_dim(const Call& call, int arg, const Tensor& t, int dim) {
  if (t.dim() != dim) call.fail_at<Status::shape>(arg, t.sizes(), ", expected ", dim, dim == 1 ? " dimension" : " dimensions");
}

void expect_size(const Call& call, int arg, const Tensor& t, int dim, int64_t size) {
  if (t.size(dim) != size)
    call.fail_at<Status::shape>(arg, t.sizes(), ", expected size ", size, " of dimension ", Dim{dim}, " (size mismatch)");
}

// Tensors in the kernels' form.
Matrices matrix(const Tensor& t) { return {Address(t), t.size(0), t.size(1), t.stride(0), t.stride(1), 0}; }
Matrices stack(const Tensor& t) { return {Address(t), t.size(1), t.size(2), t.stride(1), t.stride(2), t.stride(0)}; }
Matrices column(const Tensor& t) { return {Address(t), t.size(0), 1, t.stride(0), 1, 0}; }
Matrices row(const Tensor& t) { return column(t).transposed(); }
using View = Matrices (*)(const Tensor&);

// The tensor of these sizes in which the result is computed, starting as beta m: the out argument if that is m, else a tensor with a copy
// of m. If beta is 0, its elements are arbitrary.
Tensor accumulator(const Call& call, const Operands<3>& operands, Sizes sizes) {
  const Tensor &m = operands[0], &result = call.result(0);
  const bool is_m = call.is_given(0) && result.storage() == m.storage() && result.same_geometry(m) && std::ranges::equal(m.sizes(), sizes);
  if (is_m && !m.overlaps_itself() && !may_overlap(m, operands[1]) && !may_overlap(m, operands[2])) return result;
  if (&call.tensor(0) == &result && call.is_given(0) && !std::ranges::equal(m.sizes(), sizes))
    call.fail_at<Status::shape>(0, m.sizes(), " can't hold the result of ", sizes, " in place");
  const bool reads = call.arg(3).type == Value::Type::element || call.number(3) != 0;
  if (reads && (m.dim() == 0 || !std::ranges::equal(Sizes(broadcast(call.name(), call.argument(0), sizes, m.sizes())), sizes)))
    call.fail_at<Status::shape>(0, m.sizes(), ", expected sizes that broadcast to ", sizes);
  Tensor out = call.output(0, operands.dtype(), sizes);
  if (reads && out.numel() > 0) copy(out, expand_to(m, sizes));
  return out;
}

// res = a b and res = beta m + alpha a b: `view_a`, `view_b` and `view_out` convert the operands and the result to Matrices.
void run_product(Call& call, const Operands<2>& o, int64_t batch, Sizes sizes, View view_a, View view_b, View view_out) {
  const Tensor out = call.output(0, o.dtype(), sizes);
  if (out.numel() > 0) call.launch<ProductPlan>(o.dtype(), batch, view_a(o[0]), view_b(o[1]), view_out(out), one, zero);
  call.finish(0, out);
}

// Sets a factor of a sum of products, and its imaginary part, to an argument, which may be complex if the tensors are.
void set_factor(const Call& call, int arg, DType dtype, Number& factor, double& imaginary) {
  const Value& value = call.arg(arg);
  if constexpr (has_complex_dtypes) {
    if (value.type == Value::Type::element) {
      if (!complex_dtypes.contains(dtype)) call.fail_at<Status::dtype>(arg, "a complex number, expected a real one for ", dtype);
      const auto number = value.as<Complex<double>>();
      factor = Number(number.re);
      imaginary = number.im;
      return;
    }
  }
  factor = Number(value);
}

void set_factors(const Call& call, ProductPlan& plan) {
  set_factor(call, 3, plan.dtype, plan.beta, plan.beta_imaginary);
  set_factor(call, 4, plan.dtype, plan.alpha, plan.alpha_imaginary);
}

void run_added_product(Call& call, const Operands<3>& o, int64_t batch, Sizes sizes, View view_a, View view_b, View view_out) {
  const Tensor out = accumulator(call, o, sizes);
  if (out.numel() > 0) {
    ProductPlan plan{o.dtype(), batch, view_a(o[1]), view_b(o[2]), view_out(out), one, zero};
    set_factors(call, plan);
    call.launch(plan);
  }
  call.finish(0, out);
}

// These check that arguments first and first + 1 can be multiplied: a matrix and a vector, two matrices, two batches of matrices.
template <int Count> void expect_matrix_vector(const Call& call, const Operands<Count>& o, int first) {
  expect_dim(call, first, o[first], 2);
  expect_dim(call, first + 1, o[first + 1], 1);
  expect_size(call, first + 1, o[first + 1], 0, o[first].size(1));
}
template <int Count> void expect_matrices(const Call& call, const Operands<Count>& o, int first) {
  expect_dim(call, first, o[first], 2);
  expect_dim(call, first + 1, o[first + 1], 2);
  expect_size(call, first + 1, o[first + 1], 0, o[first].size(1));
}
template <int Count> void expect_vectors(const Call& call, const Operands<Count>& o, int first) {
  expect_dim(call, first, o[first], 1);
  expect_dim(call, first + 1, o[first + 1], 1);
}
template <int Count> void expect_stacks(const Call& call, const Operands<Count>& o, int first) {
  expect_dim(call, first, o[first], 3);
  expect_dim(call, first + 1, o[first + 1], 3);
  expect_size(call, first + 1, o[first + 1], 0, o[first].size(0));
  expect_size(call, first + 1, o[first + 1], 1, o[first].size(2));
}

// t with its leading dimensions merged into one, of `rows` rows; the last dimension stays.
Tensor as_rows(const Tensor& t, int64_t rows) {
  Tensor dense = contiguous(t);
  const int64_t cols = t.size(t.dim() - 1);
  dense.set_geometry(dense.offset(), Shape{rows, cols}, Shape{cols, 1});
  return dense;
}

int64_t product_of(Sizes sizes) { return checked_product("matmul", sizes); }

// Multiplies all pairs of matrices in the last two dimensions; the leading dimensions are the same in all three.
void multiply_all(const Call& call, DType dtype, const Tensor& a, const Tensor& b, const Tensor& out) {
  const int lead = out.dim() - 2;
  const auto view = [&](const Tensor& t) {
    return Matrices{Address(t), t.size(lead), t.size(lead + 1), t.stride(lead), t.stride(lead + 1), lead == 1 ? t.stride(0) : 0};
  };
  ProductPlan plan{dtype, lead == 1 ? out.size(0) : 1, view(a), view(b), view(out), one, zero};
  if (lead < 2) return call.launch(plan);
  Geometry& batches = plan.batches = Geometry(out.sizes().first(static_cast<size_t>(lead)));
  for (const Tensor* t : {&out, &a, &b}) {
    Tensor front = *t;
    front.set_geometry(t->offset(), t->sizes().first(static_cast<size_t>(lead)), t->strides().first(static_cast<size_t>(lead)));
    batches.add(front);
  }
  batches.collapse();
  call.launch(plan);
}

// t with a dimension of size 1 inserted at `at`.
Tensor with_dim(const Tensor& t, int at) {
  Shape sizes(t.sizes()), strides(t.strides());
  sizes.insert(at, 1);
  strides.insert(at, 1);
  Tensor view = t;
  view.set_geometry(t.offset(), sizes, strides);
  return view;
}

Tensor with_front(const Tensor& t, Sizes front) {
  Shape sizes(front);
  sizes.push(t.size(t.dim() - 2));
  sizes.push(t.size(t.dim() - 1));
  return expand_to(t, sizes);
}

}  // namespace

void Dot::plan(Call& call) {
  const Operands<2> o(call);
  if (o[0].numel() != o[1].numel()) call.fail_at<Status::shape>(1, o[1].sizes(), ", expected as many elements as in ", o[0].sizes());
  // If the result is a number, a sum of integers is exact; a result tensor of the same dtype wraps.
  const DType dtype = is_inexact(o.dtype()) || call.is_given(0) ? o.dtype() : DType::int64;
  const auto dense = [dtype](const Tensor& t) { return to_dtype(t.dim() == 1 ? t : contiguous(t), dtype); };
  const Tensor x = dense(o[0]), y = dense(o[1]), out = call.output(0, dtype, Shape{1});
  call.launch<DotPlan>(x, y, out);
  call.finish(0, out);
}

void Mv::plan(Call& call) {
  const Operands<2> o(call);
  expect_matrix_vector(call, o, 0);
  run_product(call, o, 1, Shape{o[0].size(0)}, matrix, column, column);
}

void Mm::plan(Call& call) {
  const Operands<2> o(call);
  expect_matrices(call, o, 0);
  run_product(call, o, 1, Shape{o[0].size(0), o[1].size(1)}, matrix, matrix, matrix);
}

void Bmm::plan(Call& call) {
  const Operands<2> o(call);
  expect_stacks(call, o, 0);
  run_product(call, o, o[0].size(0), Shape{o[0].size(0), o[0].size(1), o[1].size(2)}, stack, stack, stack);
}

void Ger::plan(Call& call) {
  const Operands<2> o(call);
  expect_vectors(call, o, 0);
  run_product(call, o, 1, Shape{o[0].size(0), o[1].size(0)}, column, row, matrix);
}

void Addmv::plan(Call& call) {
  const Operands<3> o(call);
  expect_matrix_vector(call, o, 1);
  run_added_product(call, o, 1, Shape{o[1].size(0)}, matrix, column, column);
}

void Addmm::plan(Call& call) {
  const Operands<3> o(call);
  expect_matrices(call, o, 1);
  run_added_product(call, o, 1, Shape{o[1].size(0), o[2].size(1)}, matrix, matrix, matrix);
}

void Addr::plan(Call& call) {
  const Operands<3> o(call);
  expect_vectors(call, o, 1);
  run_added_product(call, o, 1, Shape{o[1].size(0), o[2].size(0)}, column, row, matrix);
}

void Baddbmm::plan(Call& call) {
  const Operands<3> o(call);
  expect_stacks(call, o, 1);
  run_added_product(call, o, o[1].size(0), Shape{o[1].size(0), o[1].size(1), o[2].size(2)}, stack, stack, stack);
}

void Addbmm::plan(Call& call) {
  const Operands<3> o(call);
  expect_stacks(call, o, 1);
  const Tensor out = accumulator(call, o, Shape{o[1].size(1), o[2].size(2)});
  const int64_t count = o[1].size(0);
  // A sum of several products of 16-bit floats is accumulated in float32 and rounded once.
  const bool is_16bit = o.dtype() == DType::float16 || o.dtype() == DType::bfloat16;
  const DType dtype = is_16bit && count > 1 ? DType::float32 : o.dtype();
  const Tensor sum = to_dtype(out, dtype), x = to_dtype(o[1], dtype), y = to_dtype(o[2], dtype);
  ProductPlan plan{dtype, 1, stack(x), stack(y), matrix(sum), one, zero};
  set_factors(call, plan);
  if (count == 0) plan.a.cols = plan.b.rows = 0;  // an empty sum: beta m
  for (int64_t i = 0; out.numel() > 0 && i < std::max<int64_t>(1, count); ++i) {
    call.launch(plan);
    plan.a.data += plan.a.step * size_of(dtype);
    plan.b.data += plan.b.step * size_of(dtype);
    plan.beta = one;
    plan.beta_imaginary = 0;
  }
  if (dtype != o.dtype()) copy(out, sum);
  call.finish(0, out);
}

void Matmul::plan(Call& call) {
  const Operands<2> o(call);
  for (int i = 0; i < 2; ++i)
    if (o[i].dim() == 0) call.fail_at<Status::shape>(i, "an empty tensor, expected 1 dimension or more");
  if (o[0].dim() == 2 && o[1].dim() == 2) {  // the usual case, which this makes three times as fast
    expect_matrices(call, o, 0);
    run_product(call, o, 1, Shape{o[0].size(0), o[1].size(1)}, matrix, matrix, matrix);
    return;
  }
  const bool a_is_vector = o[0].dim() == 1, b_is_vector = o[1].dim() == 1;
  expect_size(call, 1, o[1], b_is_vector ? 0 : o[1].dim() - 2, o[0].size(o[0].dim() - 1));
  const Tensor a = a_is_vector ? with_dim(o[0], 0) : o[0], b = b_is_vector ? with_dim(o[1], 1) : o[1];
  const auto front = [](const Tensor& t) { return t.sizes().first(static_cast<size_t>(t.dim() - 2)); };
  Shape full = broadcast(call.name(), call.argument(1), front(a), front(b));
  const Shape lead = full;
  full.push(a.size(a.dim() - 2));
  full.push(b.size(b.dim() - 1));
  Shape sizes = lead;
  if (!a_is_vector) sizes.push(a.size(a.dim() - 2));
  if (!b_is_vector) sizes.push(b.size(b.dim() - 1));
  if (sizes.size() == 0) sizes.push(1);
  const Tensor out = call.output(0, o.dtype(), sizes);
  if (out.numel() > 0) {
    if (a.dim() > 2 && b.dim() == 2 && out.is_contiguous()) {  // one large product
      const int64_t rows = product_of(full) / b.size(1);
      const Tensor flat = as_rows(a, rows);
      const Matrices product{Address(out), rows, b.size(1), b.size(1), 1, 0};
      call.launch<ProductPlan>(o.dtype(), 1, matrix(flat), matrix(b), product, one, zero);
    } else {
      Tensor whole = out;
      if (a_is_vector && b_is_vector)
        whole = with_dim(out, 0);
      else if (a_is_vector)
        whole = with_dim(out, out.dim() - 1);
      else if (b_is_vector)
        whole = with_dim(out, out.dim());
      multiply_all(call, o.dtype(), with_front(a, lead), with_front(b, lead), whole);
    }
  }
  call.finish(0, out);
}

void Linear::plan(Call& call) {
  const Operands<3> o(call);
  const Tensor &x = o[0], &weight = o[1];
  const bool has_bias = call.has(2);
  if (x.dim() == 0) call.fail_at<Status::shape>(0, "an empty tensor, expected 1 dimension or more");
  expect_dim(call, 1, weight, 2);
  const int64_t in = weight.size(1), out_size = weight.size(0);
  expect_size(call, 0, x, x.dim() - 1, in);
  if (has_bias) {
    expect_dim(call, 2, o[2], 1);
    expect_size(call, 2, o[2], 0, out_size);
  }
  Shape sizes(x.sizes());
  sizes[sizes.size() - 1] = out_size;
  const Tensor out = call.output(0, o.dtype(), sizes, {.dense = true});
  if (out.numel() > 0) {
    const int64_t rows = out.numel() / out_size;
    const Tensor flat = x.dim() == 2 ? x : as_rows(x, rows), bias = has_bias ? contiguous(o[2]) : Tensor();
    const Matrices product{Address(out), rows, out_size, out_size, 1, 0};
    call.launch<ProductPlan>(o.dtype(), 1, matrix(flat), matrix(weight).transposed(), product, one, has_bias ? one : zero, Address(bias));
  }
  call.finish(0, out);
}

void LinearWeightGrad::plan(Call& call) {
  const Operands<2> o(call);
  const Tensor &g = o[0], &x = o[1];
  for (int i = 0; i < 2; ++i)
    if (o[i].dim() == 0) call.fail_at<Status::shape>(i, "an empty tensor, expected 1 dimension or more");
  const int last = x.dim() - 1;
  const bool agree =
      g.dim() == x.dim() && std::ranges::equal(g.sizes().first(static_cast<size_t>(last)), x.sizes().first(static_cast<size_t>(last)));
  if (!agree) call.fail_at<Status::shape>(1, x.sizes(), ", expected as many rows as in ", g.sizes());
  const int64_t rows = checked_product(call.name(), x.dim() == 1 ? Sizes(Shape{1}) : x.sizes().first(static_cast<size_t>(last)));
  const Tensor out = call.output(0, o.dtype(), Shape{g.size(last), x.size(last)});
  if (out.numel() > 0) {
    const Tensor left = last == 1 ? g : as_rows(g, rows), right = last == 1 ? x : as_rows(x, rows);
    call.launch<ProductPlan>(o.dtype(), 1, matrix(left).transposed(), matrix(right), matrix(out), one, zero);
  }
  call.finish(0, out);
}

void LinearBiasGrad::plan(Call& call) {
  const Tensor& g = call.tensor(0);
  expect_numbers(call, g.dtype());
  if (g.dim() == 0) call.fail_at<Status::shape>(0, "an empty tensor, expected 1 dimension or more");
  const int64_t columns = g.size(g.dim() - 1);
  const Tensor out = call.output(0, g.dtype(), Shape{columns});
  if (columns > 0) {
    const int64_t rows = g.numel() / columns;
    Tensor flat = g.dim() == 2 ? g : as_rows(g, rows);
    if (rows == 1) {
      flat.set_geometry(flat.offset(), Shape{columns}, Shape{flat.stride(1)});
      copy(out, flat);
    } else {
      static const Op& sum = *Registry::instance().find("sum");
      Tensor total(g.dtype(), g.device());
      Tensor* totals[] = {&total};
      Value args[] = {Value(flat), Value(0.0)};
      Call inner{sum, args, totals};
      run_op(inner);
      total.set_geometry(total.offset(), Shape{columns}, Shape{1});
      copy(out, total);
    }
  }
  call.finish(0, out);
}

}  // namespace mt
