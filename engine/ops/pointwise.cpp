#include "engine/ops/pointwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/ops/common_dtype.h"
#include "engine/ops/images.h"
#include "engine/ops/pointwise_number.h"

namespace mt {
namespace {

constexpr int max_operands = PointwisePlan::max_operands;

struct Operands {
  Tensor tensors[max_operands];
  uint32_t scalars = 0;
  ScalarValue values[max_operands];
};

void check_nonzero(const Call& call, DType dtype) {
  const Decl& d = *call.op.decl;
  if (d.nonzero.empty() || is_inexact(dtype)) return;
  const int i = d.signature.find(d.nonzero);
  const Value& v = call.arg(i);
  const bool zero = v.is_tensor() ? find_value(*v.tensor, 0) != not_found : v.as_int() == 0;
  if (zero) call.fail_at<Status::range>(i, "0, expected another divisor: integers can't be divided by it");
}

// The dtype of results that are computed in a dtype.
DType result_dtype(const Decl& d, DType computed) {
  if (d.result == Rule::mask) return DType::uint8;
  return d.result == Rule::real ? real_part_of(computed) : computed;
}

// The dtype of the computation.
DType compute_dtype(const Call& call, DType promoted) {
  const Decl& d = *call.op.decl;
  DType dtype = d.result == Rule::float_result ? float_for(promoted) : promoted;
  if (call.is_given(0) && d.result == Rule::real && complex_dtypes.contains(dtype)) {
    const DType real = real_part_of(dtype), wanted = call.result(0).dtype();
    if (kind_of(wanted) != NumberKind::real)
      fail<Status::dtype>(d.name, d.signature.results[0], wanted, ", expected ", real, ": the result is real");
  } else if (call.is_given(0) && d.result != Rule::mask) {
    const DType wanted = call.result(0).dtype();
    if (is_inexact(dtype) && kind_of(wanted) < kind_of(dtype)) {
      fail<Status::dtype>(d.name, d.signature.results[0], wanted, ", expected ", dtype);
    }
    if (call.args.size() == 1) call.refuse_positions();
    dtype = wanted;
  }
  if (!computed_dtypes(d).contains(dtype)) {
    if (d.dtypes == integer_dtypes)
      call.fail_at<Status::dtype>(0, dtype, ", expected a tensor of integers: ", d.name, " is only supported for integer type tensors");
    call.fail_at<Status::dtype>(0, dtype, ", expected ", tensors_of(d.dtypes));
  }
  return dtype;
}

// Tensors with equally many elements are paired element by element, whatever their shapes, as in Torch7; others broadcast as in NumPy.
Shape common_shape(const Call& call, Operands& operands) {
  Shape shape;
  const Tensor* first = nullptr;
  for (int i = 0; i < static_cast<int>(call.args.size()); ++i) {
    if (!call.arg(i).is_tensor()) continue;
    Tensor& t = operands.tensors[i];
    if (first == nullptr) {
      first = &t;
      shape = Shape(t.sizes());
    } else if (!std::ranges::equal(t.sizes(), Sizes(shape))) {
      if (t.numel() == first->numel() && std::ranges::equal(first->sizes(), Sizes(shape))) {
        t = contiguous(t);
        Shape strides(shape);
        contiguous_strides(shape, &strides[0]);
        t.set_geometry(t.offset(), shape, strides);
      } else if (t.dim() == 0 || shape.size() == 0) {
        call.fail_at<Status::shape>(i, t.sizes(), ", expected sizes that broadcast with ", Sizes(shape));
      } else {
        shape = broadcast(call.name(), call.argument(i), shape, t.sizes());
      }
    }
  }
  return shape;
}

// Launches the kernel for operands of any geometry.
void launch(const Call& call, DType dtype, const Tensor& out, Operands& operands, int count, bool in_order) {
  if (out.numel() == 0) return;
  PointwisePlan plan(dtype, out.dtype(), count, out.numel());
  plan.in_order = in_order;
  plan.scalars = operands.scalars;
  std::copy_n(operands.values, count, plan.values);
  Geometry& geometry = plan.geometry = Geometry(out.sizes());
  geometry.add(out);
  for (int i = 0; i < count; ++i) {
    if (plan.is_scalar(i))
      geometry.add_scalar(plan.values[i]);
    else
      geometry.add(operands.tensors[i]);
  }
  geometry.collapse();
  call.launch(plan);
}

void plan_general(Call& call, DType promoted) {
  const Decl& d = *call.op.decl;
  const int count = static_cast<int>(call.args.size());
  if (std::ranges::none_of(call.args, &Value::is_tensor)) call.fail_at(0, "numbers, expected at least one tensor");
  const DType dtype = compute_dtype(call, promoted);
  check_nonzero(call, dtype);
  Operands operands;
  for (int i = 0; i < count; ++i) {
    const Value& v = call.arg(i);
    if (v.is_tensor()) {
      operands.tensors[i] = to_dtype(*v.tensor, dtype);
    } else {
      operands.scalars |= 1u << i;
      set_pointwise_number(operands.values[i], v, dtype);
    }
  }
  const Shape shape = common_shape(call, operands);
  const DType out_dtype = result_dtype(d, dtype);
  Tensor& result = call.result(0);
  bool direct = true;
  if (call.is_given(0)) {
    const bool mask_as_is = d.result == Rule::mask && (result.dtype() == DType::uint8 || result.dtype() == DType::boolean);
    direct = result.dtype() == out_dtype || mask_as_is;
    for (int i = 0; i < count; ++i) {
      if (!call.arg(i).is_tensor()) continue;
      if (call.arg(i).tensor == &result && !std::ranges::equal(result.sizes(), Sizes(shape))) {
        call.fail_at<Status::shape>(i, result.sizes(), " can't hold the result of ", Sizes(shape), " in place");
      }
      const Tensor& t = operands.tensors[i];
      const bool same_place = t.same_geometry(result) && std::ranges::equal(result.sizes(), Sizes(shape));
      if (!same_place && may_overlap(t, result)) direct = false;
    }
  }
  if (!call.is_given(0)) call.output(0, out_dtype, shape, {.layout = layout_of_operands(call, shape)});
  if (direct) result.resize(d.name, shape);
  const Tensor out = direct ? result : call.empty(out_dtype, shape);
  const bool in_order = direct && call.is_given(0) && out.overlaps_itself();
  launch(call, dtype, out, operands, count, in_order);
  call.finish(0, out);
}

}  // namespace

void set_pointwise_number(ScalarValue& to, const Value& value, DType dtype) {
  if (dtype == DType::float32 && value.type == Value::Type::number) return to.set(static_cast<float>(value.number));  // the usual case
  if constexpr (has_complex_dtypes) {
    if (value.type == Value::Type::element || complex_dtypes.contains(dtype)) {
      to = element_as(value, dtype);
      return;
    }
  }
  dispatch<compared_dtypes>(dtype, [&]<class T>(std::type_identity<T>) {
    using C = Compute<T>;
    if constexpr (!std::is_integral_v<C>)
      to.set(static_cast<C>(value.as_double()));
    else if (value.type == Value::Type::integer)
      to.set(static_cast<C>(value.integer));
    else if (std::isinf(value.number))
      to.set(value.number < 0 ? std::numeric_limits<C>::lowest() : std::numeric_limits<C>::max());
    else
      to.set(element_from<C>(value.number));
  });
}

PointwisePlan::PointwisePlan(const PointwisePlan& other)
    : dtype(other.dtype),
      result_dtype(other.result_dtype),
      in_order(other.in_order),
      count(other.count),
      scalars(other.scalars),
      n(other.n),
      geometry(other.geometry) {
  for (int i = 0; i < count; ++i) {
    if (is_scalar(i)) values[i] = other.values[i];
  }
  if (geometry) return;
  pointers.assign(other.pointers, count + 1);
  std::copy_n(other.strides, count + 1, strides);
  for (int i = 0; i < count; ++i) {
    if (is_scalar(i)) pointers.set(i + 1, values[i].bytes);
  }
}

void plan_pointwise(Call& call) {
  // The usual case first: one dtype, one shape, everything contiguous. It takes some 20 ns, and the general case ten times that.
  const int count = static_cast<int>(call.args.size());
  const Tensor* first = nullptr;
  DType promoted = DType::uint8;
  bool plain = true, has_complex_number = false;
  for (const Value& v : call.args) {
    if (!v.is_tensor()) {
      has_complex_number = has_complex_number || v.type == Value::Type::element;
      continue;
    }
    const Tensor& t = *v.tensor;
    if (first == nullptr) {
      first = &t;
      promoted = t.dtype();
      plain = t.is_contiguous() && t.dim() > 0;
    } else {
      if (t.dtype() != promoted) {
        promoted = common_dtype(call, promoted, t.dtype());
        plain = false;
      }
      plain = plain && t.is_contiguous() && t.same_sizes(*first);
    }
  }
  if (has_complex_number && !complex_dtypes.contains(promoted)) [[unlikely]] {
    promoted = complex_of(promote(float_for(promoted), DType::float32));
    plain = false;
  }
  const Decl& d = *call.op.decl;
  const DType out_dtype = result_dtype(d, promoted);
  Tensor& result = call.result(0);
  plain = plain && computed_dtypes(d).contains(promoted) && (is_float(promoted) || d.nonzero.empty());
  if (plain && call.is_given(0)) {
    plain = result.dtype() == out_dtype && (&result == first || (result.is_contiguous() && result.same_sizes(*first)));
    for (int i = 0; plain && i < count; ++i) {
      const Value& v = call.arg(i);
      if (v.is_tensor() && v.tensor != &result && may_overlap(*v.tensor, result)) plain = v.tensor->bytes() == result.bytes();
    }
  }
  if (!plain) {
    plan_general(call, promoted);
    return;
  }
  if (!call.is_given(0)) result.create_like(*first, out_dtype);
  PointwisePlan plan(promoted, out_dtype, count, result.numel());
  plan.pointers.set(0, result);
  plan.strides[0] = size_of(out_dtype);
  for (int i = 0; i < count; ++i) {
    const Value& v = call.arg(i);
    if (v.is_tensor()) {
      plan.pointers.set(i + 1, *v.tensor);
      plan.strides[i + 1] = size_of(promoted);
    } else {
      plan.scalars |= 1u << i;
      set_pointwise_number(plan.values[i], v, promoted);
      plan.pointers.set(i + 1, plan.values[i].bytes);
      plan.strides[i + 1] = 0;
    }
  }
  call.launch(plan);
  if (call.is_given(0)) result.touch();
}

}  // namespace mt
