// One element a target is read or written: memory decides, and the work stays on one thread.
#include <algorithm>
#include <span>
#include <vector>

#include "engine/core/registry.h"
#include "engine/cpu/register.h"

namespace mt {
namespace cpu {
namespace {

// Places of a batch that each have log-probabilities of all classes, `inner` elements apart.
struct Places {
  int64_t outer = 1, classes = 1, inner = 1;

  explicit Places(Sizes sizes) {
    if (sizes.empty()) classes = 0;
    const size_t class_dim = sizes.size() > 1 ? 1 : 0;
    for (size_t d = 0; d < sizes.size(); ++d) (d < class_dim ? outer : d > class_dim ? inner : classes) *= sizes[d];
  }
  int64_t count() const { return outer * inner; }
  int64_t element(int64_t place, int64_t c) const { return (place / inner * classes + c) * inner + place % inner; }
};

struct Targets {
  std::vector<int64_t> classes;  // from 0, -1: ignored
  std::vector<double> weights;   // of classes; empty: all 1

  double weight(int64_t c) const { return weights.empty() ? 1 : weights[static_cast<size_t>(c)]; }
};

Targets read_targets(const Call& call, const Places& places, int target, int weights, int ignore) {
  Targets t;
  const auto take = [&](int64_t c) {
    const bool ignored = c == call.integer(ignore);
    if (!ignored && (c < 1 || c > places.classes)) {
      call.fail_at(target, c, " came at place ", t.classes.size() + 1, ", 1..", places.classes, " was expected: classes count from 1");
    }
    t.classes.push_back(ignored ? -1 : c - 1);
  };
  const Value& v = call.arg(target);
  const int64_t came = v.is_tensor() ? v.tensor->numel() : 1;
  if (came != places.count()) call.fail_at(target, came, " class numbers came, ", places.count(), " were expected");
  t.classes.reserve(static_cast<size_t>(came));
  if (v.is_tensor()) {
    const Tensor numbers = contiguous(to_dtype(*v.tensor, DType::int64));
    for (int64_t i = 0; i < came; ++i) take(numbers.data<int64_t>()[i]);
  } else {
    take(v.as_int());
  }
  if (call.has(weights)) {
    const Tensor w = contiguous(to_dtype(call.tensor(weights), DType::float64));
    if (w.numel() != places.classes)
      call.fail_at(weights, w.numel(), " elements came, one for each of ", places.classes, " classes was expected");
    t.weights.assign(w.data<double>(), w.data<double>() + w.numel());
  }
  return t;
}

void run_nll_loss(Call& call) {
  const DType dtype = float_for(call.tensor(0).dtype());
  const Places places(call.tensor(0).sizes());
  if (places.classes == 0) call.fail_at(0, call.tensor(0).sizes(), " came, log-probabilities of at least one class were expected");
  const Targets targets = read_targets(call, places, 1, 2, 4);
  const Tensor logp = contiguous(to_dtype(call.tensor(0), dtype));
  const Tensor loss = call.output(0, dtype, Shape{1}), total = call.output(1, dtype, Shape{1});
  double sum = 0, weight_sum = 0;
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_integral_v<T>) {
      for (int64_t i = 0; i < places.count(); ++i) {
        const int64_t c = targets.classes[static_cast<size_t>(i)];
        if (c < 0) continue;
        weight_sum += targets.weight(c);
        sum -= targets.weight(c) * static_cast<Compute<T>>(logp.data<T>()[places.element(i, c)]);
      }
      if (call.boolean(3) && weight_sum != 0) sum /= weight_sum;
      *loss.data<T>() = convert_element<T>(sum);
      *total.data<T>() = convert_element<T>(weight_sum);
    }
  });
  call.finish(0, loss);
  call.finish(1, total);
}

void run_nll_loss_grad(Call& call) {
  const DType dtype = float_for(call.tensor(0).dtype());
  checked_product(call.name(), call.sizes(1));
  const Places places(call.sizes(1));
  const Targets targets = read_targets(call, places, 2, 4, 6);
  for (const int i : {0, 3}) {
    if (call.tensor(i).numel() != 1) call.fail_at(i, call.tensor(i).sizes(), " came, one element was expected");
  }
  const double total = *to_dtype(call.tensor(3), DType::float64).data<double>();
  double scale = -*to_dtype(call.tensor(0), DType::float64).data<double>();
  if (call.boolean(5) && total != 0) scale /= total;
  const Tensor out = call.output(0, dtype, call.sizes(1));
  const Tensor computed = out.is_contiguous() ? out : Tensor::empty(dtype, out.sizes());
  std::fill_n(computed.bytes(), computed.numel() * size_of(dtype), std::byte{0});
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    for (int64_t i = 0; i < places.count(); ++i) {
      const int64_t c = targets.classes[static_cast<size_t>(i)];
      if (c >= 0) computed.data<T>()[places.element(i, c)] = convert_element<T>(scale * targets.weight(c));
    }
  });
  if (computed.storage() != out.storage()) copy(out, computed);
  call.finish(0, out);
}

#include "engine/ops/loss-inl.h"

template <class... Op> std::span<const Row> rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, Op::plan, nullptr}...};
  return rows;
}

}  // namespace

std::span<const Row> loss_rows() { return rows_of(LossOps()); }

}  // namespace cpu
}  // namespace mt
