// The plans of the ops in create-inl.h, which fill or copy.
#include "engine/ops/create.h"

#include <algorithm>

#include "engine/core/built.h"
#include "engine/core/geometry.h"
#include "engine/ops/changed.h"
#include "engine/ops/convert.h"

namespace mt {
namespace {

#include "engine/ops/create-inl.h"

}  // namespace

DType wanted_dtype(const Call& call, int i) {
  const DType asked = call.has(i) ? call.arg(i).dtype : call.default_dtype;
  if (!call.is_given(0)) return asked;
  const DType own = call.result(0).dtype();
  if (call.has(i) && asked != own) call.fail_at<Status::dtype>(i, asked, ", expected ", own, ", the type of the result");
  return own;
}

namespace {

ScalarValue whole(int64_t n, DType dtype) {
  return dispatch<all_dtypes>(dtype, [n]<class T>(std::type_identity<T>) { return ScalarValue::of(convert_element<T>(n)); });
}

void zeros(Call& call) { call.finish(0, zero_output(call, wanted_dtype(call, 1), call.sizes(0))); }

void ones(Call& call) {
  const Tensor out = call.output(0, wanted_dtype(call, 1), call.sizes(0));
  fill(out, whole(1, out.dtype()));
  call.finish(0, out);
}

void full(Call& call) {
  const Tensor out = call.output(0, wanted_dtype(call, 2), call.sizes(0));
  fill(out, element_as(call.arg(1), out.dtype()));
  call.finish(0, out);
}

void empty(Call& call) { call.finish(0, call.output(0, wanted_dtype(call, 1), call.sizes(0))); }

void eye(Call& call) {
  const int64_t n = call.integer(0), m = call.has(1) ? call.integer(1) : n;
  if (n < 0) call.fail_at<Status::range>(0, n, ", expected 0 or more");
  if (m < 0) call.fail_at<Status::range>(1, m, ", expected 0 or more");
  const Tensor out = zero_output(call, wanted_dtype(call, 2), Shape{n, m});
  Tensor diagonal = out;
  diagonal.set_geometry(out.offset(), Shape{std::min(n, m)}, Shape{out.stride(0) + out.stride(1)});
  fill(diagonal, whole(1, out.dtype()));
  call.finish(0, out);
}

// Calls f to write all elements of argument 0, or of another out argument.
template <class F> void replace_all(const Call& call, const F& f) {
  if (call.is_given(0) && &call.result(0) == &call.tensor(0)) [[likely]] {
    f(call.result(0));
    call.result(0).touch();
  } else {
    const Tensor out = replaced(call);
    f(out);
    call.finish(0, out);
  }
}

void fill_op(Call& call) {
  replace_all(call, [&](const Tensor& out) { fill(out, element_as(call.arg(1), out.dtype())); });
}

void zero(Call& call) {
  replace_all(call, [](const Tensor& out) { fill(out, ScalarValue{}); });
}

void copy_op(Call& call) {
  const Tensor &x = call.tensor(0), &given = call.tensor(1);
  refuse_loss_of_parts(call, 1, x.dtype());
  Tensor repeated;
  const Tensor* source = &given;
  if (given.numel() != x.numel()) {
    const bool fits = given.dim() > 0 && given.dim() <= x.dim() &&
                      std::ranges::equal(Sizes(broadcast(call.name(), call.argument(1), x.sizes(), given.sizes())), x.sizes());
    if (!fits) {
      call.fail_at<Status::shape>(1, given.sizes(), ", expected as many elements as ", x.sizes(),
                                  " has, or sizes that broadcast to it: inconsistent tensor size");
    }
    repeated = expand_to(given, x.sizes());
    source = &repeated;
  }
  replace_all(call, [source](const Tensor& out) {
    if (out.numel() == 0 || (out.storage() == source->storage() && out.same_geometry(*source))) return;
    if (may_overlap(out, *source))
      copy(out, clone(*source));
    else
      copy(out, *source);
  });
}

constexpr Row rows[] = {{&Zeros::decl, &zeros}, {&Ones::decl, &ones},    {&Full::decl, &full}, {&Empty::decl, &empty},
                        {&Eye::decl, &eye},     {&Fill::decl, &fill_op}, {&Zero::decl, &zero}, {&Copy::decl, &copy_op}};

}  // namespace

std::span<const Row> create_rows() { return built_rows<rows>(); }

}  // namespace mt
