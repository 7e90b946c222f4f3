#include "engine/ops/sort.h"

#include <limits>

namespace mt {
namespace {

// An op's request for slices of `n` elements: the results get `kept` elements of each.
struct Order {
  int64_t kept, k;
  bool descending;
};

// order(n) checks the other arguments before results are allocated.
template <class F> void order_slices(Call& call, int dim_argument, F order) {
  const Tensor& given = call.tensor(0);
  const int dim = call.dim(dim_argument, given.dim());
  const int64_t n = given.size(dim);
  const Order o = order(n);
  Shape sizes(given.sizes());
  sizes[dim] = o.kept;
  const bool works = o.kept > 0 && given.numel() > 0;
  if (works && n > std::numeric_limits<uint32_t>::max())
    fail<Status::shape>("sort", "x", n, " elements along the dimension, expected fewer than 2^32");
  const Tensor x = works ? contiguous(given) : given;
  const Tensor values = call.output(0, x.dtype(), sizes, {.dense = true}), indices = call.output(1, DType::int64, sizes, {.dense = true});
  if (works) call.launch<SortPlan>(x, values, indices, dim, o.k, o.descending);
  call.finish(0, values);
  call.finish(1, indices);
}

void check_some(const Call& call, int64_t n) {
  if (n == 0) call.fail_at<Status::shape>(0, call.tensor(0).sizes(), ", expected at least one element along the dimension");
}

}  // namespace

void plan_sort(Call& call) {
  if (call.tensor(0).dim() == 0) {
    call.finish(0, call.output(0, call.tensor(0).dtype(), {}));
    call.finish(1, call.output(1, DType::int64, {}));
    return;
  }
  order_slices(call, 1, [&](int64_t n) { return Order{n, n, call.boolean(2)}; });
}

void plan_topk(Call& call) {
  order_slices(call, 2, [&](int64_t n) {
    const int64_t k = call.integer(1);
    if (k < 0 || k > n) call.fail_at<Status::range>(1, k, " not in range for dimension, expected 0..", n);
    return Order{k, k, call.boolean(3)};
  });
}

void plan_kthvalue(Call& call) {
  const bool median = call.args.size() == 2;
  order_slices(call, median ? 1 : 2, [&](int64_t n) {
    check_some(call, n);
    if (median) return Order{1, (n + 1) / 2 - 1, false};
    const int64_t k = call.integer(1);
    if (k < 1 || k > n) call.fail_at<Status::range>(1, k, " selected index out of range 1..", n);
    return Order{1, k - 1, false};
  });
}

void plan_mode(Call& call) {
  order_slices(call, 1, [&](int64_t n) {
    check_some(call, n);
    return Order{1, 0, false};
  });
}

}  // namespace mt
