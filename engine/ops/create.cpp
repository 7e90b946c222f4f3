// What the ops in create-inl.h do.
#include <cstring>

#include "engine/core/registry.h"
#include "engine/cpu/iterator.h"
#include "engine/ops/create.h"
#include "engine/ops/register.h"

namespace mt {
namespace {

#include "engine/ops/create-inl.h"

}  // namespace

DType wanted_dtype(const Call& call, int i) {
  const DType asked = call.has(i) ? call.arg(i).dtype : call.default_dtype;
  if (!call.is_given(0)) return asked;
  const DType own = call.result(0).dtype();
  if (call.has(i) && asked != own) call.fail_at(i, asked, " came, but the result is a ", own);
  return own;
}

namespace {

Value whole(int64_t n) {
  Value value;
  value.type = Value::Type::integer;
  value.integer = n;
  return value;
}

void fill_with(const Tensor& t, const Value& value) {
  const int64_t n = t.numel();
  if (n == 0) return;
  dispatch(t.dtype(), [&]<class E>(std::type_identity<E>) {
    const E element = value.type == Value::Type::integer ? convert_element<E>(value.integer) : element_from<E>(value.number);
    constexpr int64_t few = 512;  // done before a copy has begun
    if (t.is_contiguous() && n <= few) {
      std::fill_n(t.data<E>(), n, element);
      return;
    }
    const Tensor one = Tensor::empty(t.dtype(), {1});
    *one.data<E>() = element;
    copy(t, expand_to(one, t.sizes()));
  });
}

void make_filled(Call& call, Sizes sizes, int dtype_argument, const Value& value) {
  const Tensor out = call.output(0, wanted_dtype(call, dtype_argument), sizes);
  fill_with(out, value);
  call.finish(0, out);
}

void zeros(Call& call) { make_filled(call, call.sizes(0), 1, whole(0)); }
void ones(Call& call) { make_filled(call, call.sizes(0), 1, whole(1)); }
void full(Call& call) { make_filled(call, call.sizes(0), 2, call.arg(1)); }
void empty(Call& call) { call.finish(0, call.output(0, wanted_dtype(call, 1), call.sizes(0))); }

void eye(Call& call) {
  const int64_t n = call.integer(0), m = call.has(1) ? call.integer(1) : n;
  if (n < 0) call.fail_at(0, n, " came, 0 or more was expected");
  if (m < 0) call.fail_at(1, m, " came, 0 or more was expected");
  const Tensor out = call.output(0, wanted_dtype(call, 2), Shape{n, m});
  fill_with(out, whole(0));
  // Written one by one: fill_with may need memory, and that may run out when half is written.
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    for (int64_t i = 0; i < std::min(n, m); ++i) out.data<E>()[i * (out.stride(0) + out.stride(1))] = convert_element<E>(int64_t{1});
  });
  call.finish(0, out);
}

// What is written when all elements of argument 0 are replaced: the given result, where it is that very tensor, else a tensor of its sizes.
Tensor replaced(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (call.is_given(0) && call.result(0).storage() == x.storage() && call.result(0).same_geometry(x)) return call.result(0);
  return call.output(0, x.dtype(), x.sizes());
}

void fill(Call& call) {
  const Tensor out = replaced(call);
  fill_with(out, call.arg(1));
  call.finish(0, out);
}

void zero(Call& call) {
  const Tensor out = replaced(call);
  fill_with(out, whole(0));
  call.finish(0, out);
}

void copy_op(Call& call) {
  const Tensor &x = call.tensor(0), &given = call.tensor(1);
  Tensor source = given;
  if (source.numel() != x.numel()) {
    const bool fits = source.dim() > 0 && source.dim() <= x.dim() &&
                      std::ranges::equal(Sizes(broadcast(call.name(), call.argument(1), x.sizes(), source.sizes())), x.sizes());
    if (!fits) {
      call.fail_at(1, given.sizes(), " came, as many elements as ", x.sizes(),
                   " has, or sizes that broadcast to it, were expected: inconsistent tensor size");
    }
    source = expand_to(source, x.sizes());
  }
  const Tensor out = replaced(call);
  if (out.numel() > 0 && !(out.storage() == source.storage() && out.same_geometry(source))) {
    copy(out, may_overlap(out, source) ? clone(source) : source);
  }
  call.finish(0, out);
}

constexpr Row rows[] = {{&Zeros::decl, &zeros}, {&Ones::decl, &ones}, {&Full::decl, &full}, {&Empty::decl, &empty},
                        {&Eye::decl, &eye},     {&Fill::decl, &fill}, {&Zero::decl, &zero}, {&Copy::decl, &copy_op}};

}  // namespace

std::span<const Row> create_rows() { return rows; }

}  // namespace mt
