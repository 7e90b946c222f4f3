// What ops share that write to parts of a tensor, by index or by mask.
#pragma once

#include "engine/core/registry.h"
#include "engine/cpu/iterator.h"

namespace mt::cpu {

// The tensor that an op changes parts of: the given result when it is x itself, else one with x's elements.
inline Tensor changed(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (call.is_given(0) && call.result(0).storage() == x.storage() && call.result(0).same_geometry(x)) return call.result(0);
  const Tensor out = call.output(0, x.dtype(), x.sizes());
  if (x.numel() > 0) copy(out, x);
  return out;
}

// A source as out's dtype, in memory that writing to out leaves alone.
inline Tensor apart(const Tensor& source, const Tensor& out) {
  const Tensor converted = to_dtype(source, out.dtype());
  return may_overlap(converted, out) ? clone(converted) : converted;
}

inline Tensor number_as(const Value& value, DType dtype) {
  const Tensor one = Tensor::empty(dtype, {1});
  dispatch(dtype, [&]<class E>(std::type_identity<E>) {
    *one.data<E>() = value.type == Value::Type::integer ? convert_element<E>(value.integer) : element_from<E>(value.number);
  });
  return one;
}

}  // namespace mt::cpu
