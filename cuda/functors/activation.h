// Smooth relatives of the rectifier: the functors of engine/ops/activation-inl.h for one element.
#pragma once

#include "cuda/functions.h"
#include "engine/core/decl.h"

namespace mt::cuda {

// The rounding error of `square`, the rounded z^2.
template <class T> MT_FN Value<T> rest_of_square(Value<T> z, Value<T> square) { return mul_add(z, z, Value<T>(0) - square); }

MT_FN Value<float> square_plus(Value<float> z, Value<float> c) { return mul_add(z, z, c); }
MT_FN Value<float> nearest(Value<float> x) { return Value<float>(std::rint(x.v)); }
MT_FN Value<float> scaled(Value<float> x, Value<float> n) { return Value<float>(std::scalbn(x.v, static_cast<int>(n.v))); }

#include "engine/ops/tails-inl.h"

#include "engine/ops/activation-inl.h"

}  // namespace mt::cuda
