#include "engine/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "engine/core/geometry.h"
#include "engine/ops/images.h"

namespace mt {
namespace {

int64_t from_end(const Tensor& t, int dim) { return t.size(t.dim() - dim); }

int64_t step_of(const Tensor& t, int dim) { return t.dim() >= dim ? t.stride(t.dim() - dim) : 0; }

void expect_matrices(const Call& call, int arg, Sizes sizes) {
  const Tensor& t = call.tensor(arg);
  if (!std::ranges::equal(t.sizes(), sizes)) call.fail_at<Status::shape>(arg, t.sizes(), ", expected ", sizes);
}

}  // namespace

bool has_equal_steps(const Tensor& t) {
  bool equal = true;
  for (int d = 0; d + 4 < t.dim(); ++d) equal = equal && t.stride(d) == t.stride(d + 1) * t.size(d + 1);
  return equal;
}

Tensor matrices_of(const Call& call, int arg, DType dtype) {
  const Tensor t = to_dtype(call.tensor(arg), dtype);
  const bool adjacent = from_end(t, 1) <= 1 || step_of(t, 1) == 1;
  return adjacent && has_equal_steps(t) ? t : contiguous(t);
}

HeadMatrices in_steps(const Tensor& t) { return {t, step_of(t, 4), step_of(t, 3), step_of(t, 2)}; }

AttentionSizes attention_sizes(const Call& call, AttentionArguments at) {
  const int key = at.query + 1, value = at.query + 2;
  const Tensor &q = call.tensor(at.query), &k = call.tensor(key), &v = call.tensor(value);
  if (q.dim() < 2) call.fail_at<Status::shape>(at.query, q.sizes(), ", expected (…, L, E)");
  const int dims = q.dim();
  const auto fits = [&](const Tensor& t) {
    if (t.dim() != dims) return false;
    for (int d = 0; d + 3 < dims; ++d) {
      if (t.size(d) != q.size(d)) return false;
    }
    return dims < 3 || t.size(dims - 3) == q.size(dims - 3) ||
           (t.size(dims - 3) > 0 && q.size(dims - 3) > 0 && q.size(dims - 3) % t.size(dims - 3) == 0);
  };
  if (!fits(k) || from_end(k, 1) != from_end(q, 1))
    call.fail_at<Status::shape>(key, k.sizes(), ", expected (…, S, ", from_end(q, 1), ") with the leading sizes of the query ", q.sizes());
  if (!fits(v) || from_end(v, 2) != from_end(k, 2) || (dims > 2 && from_end(v, 3) != from_end(k, 3)))
    call.fail_at<Status::shape>(value, v.sizes(), ", expected (…, ", from_end(k, 2), ", V) with the leading sizes of the key ", k.sizes());
  AttentionSizes s;
  s.heads = dims > 2 ? from_end(q, 3) : 1;
  s.sharing = dims > 2 && from_end(k, 3) > 0 ? s.heads / from_end(k, 3) : 1;
  s.outer = 1;
  for (int d = 0; d + 3 < dims; ++d) s.outer *= q.size(d);
  s.queries = from_end(q, 2);
  s.keys = from_end(k, 2);
  s.size = from_end(q, 1);
  s.value_size = from_end(v, 1);
  s.causal = call.boolean(at.mask + 1);
  s.scale = call.has(at.mask + 2) ? call.number(at.mask + 2) : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(s.size, 1)));
  return s;
}

Tensor attention_mask(const Call& call, AttentionArguments at, DType dtype, const AttentionSizes& s) {
  if (!call.has(at.mask)) return {};
  const Tensor &mask = call.tensor(at.mask), &q = call.tensor(at.query);
  Shape sizes(q.sizes());
  const int dims = sizes.size();
  sizes[dims - 1] = s.keys;
  if (mask.dim() == 0 || !broadcasts_to(mask.sizes(), sizes))
    call.fail_at<Status::shape>(at.mask, mask.sizes(), ", expected sizes that broadcast to ", sizes);
  const Tensor t = expand_to(to_dtype(mask, dtype), sizes);
  return has_equal_steps(t) ? t : contiguous(t);
}

AttentionMask mask_in_steps(const Tensor& mask, const Call& call, AttentionArguments at) {
  if (!call.has(at.mask)) return {};
  return {mask, step_of(mask, 4), step_of(mask, 3), step_of(mask, 2), step_of(mask, 1), !is_float(call.tensor(at.mask).dtype())};
}

void plan_attention(Call& call) {
  constexpr AttentionArguments at{0, 3};
  const Tensor &query = call.tensor(0), &value = call.tensor(2);
  const AttentionSizes sizes = attention_sizes(call, at);
  const DType inner = image_dtype(call, 0, query.dtype());
  const Tensor mask = attention_mask(call, at, inner, sizes);
  Shape shape(query.sizes());
  shape[shape.size() - 1] = from_end(value, 1);
  Shape rows(query.sizes());
  rows.erase(rows.size() - 1);
  const Tensor res = call.output(0, query.dtype(), shape, {.dense = true, .computed_in = inner}),
               logsum = call.output(1, inner, rows, {.dense = true});
  if (logsum.numel() > 0) {
    const Tensor q = matrices_of(call, 0, inner), k = matrices_of(call, 1, inner), v = matrices_of(call, 2, inner);
    call.launch<AttentionPlan>(sizes, in_steps(q), in_steps(k), in_steps(v), mask_in_steps(mask, call, at), res, logsum);
  }
  call.finish(0, res);
  call.finish(1, logsum);
}

void plan_attention_grad(Call& call) {
  constexpr AttentionArguments at{1, 6};
  const Tensor &query = call.tensor(1), &key = call.tensor(2), &value = call.tensor(3);
  const AttentionSizes sizes = attention_sizes(call, at);
  const DType inner = image_dtype(call, 1, query.dtype());
  const Tensor mask = attention_mask(call, at, inner, sizes);
  Shape shape(query.sizes());
  shape[shape.size() - 1] = from_end(value, 1);
  expect_matrices(call, 0, shape);
  expect_matrices(call, 4, shape);
  shape.erase(shape.size() - 1);
  expect_matrices(call, 5, shape);
  const auto output = [&](int i, const Tensor& like) {
    return call.output(i, like.dtype(), like.sizes(), {.dense = true, .computed_in = inner});
  };
  const Tensor query_grad = output(0, query), key_grad = output(1, key), value_grad = output(2, value);
  if (query_grad.numel() + key_grad.numel() + value_grad.numel() > 0) {
    const Tensor g = matrices_of(call, 0, inner), q = matrices_of(call, 1, inner), k = matrices_of(call, 2, inner),
                 v = matrices_of(call, 3, inner), res = matrices_of(call, 4, inner), logsum = dense_argument(call, 5, inner);
    call.launch<AttentionGradPlan>(sizes, in_steps(g), in_steps(q), in_steps(k), in_steps(v), in_steps(res), mask_in_steps(mask, call, at),
                                   logsum, query_grad, key_grad, value_grad);
  }
  call.finish(0, query_grad);
  call.finish(1, key_grad);
  call.finish(2, value_grad);
}

}  // namespace mt
