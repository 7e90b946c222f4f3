// The CPU's kernels of engine/ops/mask.h.
#include "engine/ops/mask.h"
#include "engine/core/built.h"

#include <algorithm>
#include <vector>

#include "engine/cpu/iterate.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/mask-inl.h"

// Visits n elements in chunks, with the number of selected elements before each chunk: tests chosen(i), then calls visit(i, rank).
class Ranks {
 public:
  Ranks(int64_t n, int64_t* before) : n_(n), chunks_((n + chunk - 1) / chunk), before_(before) {}

  static int64_t room(int64_t n) { return (n + chunk - 1) / chunk + 1; }  // elements of `before`
  template <class Chosen> int64_t count(const Chosen& chosen) const {
    before_[0] = 0;
    each_chunk([&](int64_t c, int64_t begin, int64_t end) {
      int64_t count = 0;
      for (int64_t i = begin; i < end; ++i) count += chosen(i) ? 1 : 0;
      before_[c + 1] = count;
    });
    for (int64_t c = 1; c <= chunks_; ++c) before_[c] += before_[c - 1];
    return before_[chunks_];
  }
  // Each chunk calls its own copy of visit, which may store its position.
  template <class Chosen, class Visit> void visit(const Chosen& chosen, const Visit& visit) const {
    each_chunk([&](int64_t c, int64_t begin, int64_t end) {
      Visit visit_chosen = visit;
      int64_t rank = before_[c];
      for (int64_t i = begin; i < end; ++i) {
        if (chosen(i)) visit_chosen(i, rank++);
      }
    });
  }
  // to[rank * step] = from[i] for every selected element. Without branches: a random mask costs a misprediction every other element.
  template <class Chosen, class W> void select(const Chosen& chosen, const W* from, W* to, int64_t step) const {
    each_chunk([&](int64_t c, int64_t begin, int64_t end) {
      constexpr int64_t room = 256;
      W buffer[room];
      int64_t rank = before_[c];
      for (int64_t first = begin; first < end; first += room) {
        const int64_t last = std::min(end, first + room);
        int64_t count = 0;
        for (int64_t i = first; i < last; ++i) {
          buffer[count] = from[i];
          count += chosen(i) ? 1 : 0;
        }
        for (int64_t k = 0; k < count; ++k) to[(rank + k) * step] = buffer[k];
        rank += count;
      }
    });
  }

 private:
  static constexpr int64_t chunk = pointwise_grain / 2;
  static_assert(chunk >= Ranking::least_run);
  template <class F> void each_chunk(const F& f) const {
    parallel_for(chunks_, 2, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) f(c, c * chunk, std::min(n_, (c + 1) * chunk));
    });
  }

  int64_t n_, chunks_;
  int64_t* before_;
};

auto set_in(const Tensor& mask) {
  return [bits = mask.data<uint8_t>()](int64_t i) { return bits[i] != 0; };
}

void run_masked_select(const MaskedSelectPlan& plan) {
  const auto chosen = set_in(plan.mask);
  const Ranks ranks(plan.x.numel(), plan.ranking.before.data<int64_t>());
  if (plan.ranking.pass == MaskPass::count) {
    *plan.ranking.count = ranks.count(chosen);
    return;
  }
  by_width(plan.x.dtype(), [&]<class W>(W) { ranks.select(chosen, plan.x.data<W>(), plan.out.data<W>(), plan.out.stride(0)); });
}

void run_masked_fill(const MaskedFillPlan& plan) {
  by_width(plan.out.dtype(), [&]<class W>(W) {
    Geometry it(plan.out.sizes());
    it.add(plan.out);
    it.add(plan.mask);
    it.collapse();
    parallel_iterate(it, [filled = plan.element.as<W>()](std::byte** p, const int64_t* strides, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        W* to = reinterpret_cast<W*>(p[0] + i * strides[0]);
        if constexpr (std::is_integral_v<W>) {
          const auto chosen = static_cast<W>(-static_cast<W>(p[1][i * strides[1]]));  // all bits or none: no branch to mispredict
          *to = static_cast<W>((filled & chosen) | (*to & ~chosen));
        } else if (p[1][i * strides[1]] != std::byte(0)) {
          *to = filled;
        }
      }
    });
  });
}

void run_masked_copy(const MaskedCopyPlan& plan) {
  const auto chosen = set_in(plan.mask);
  std::vector<int64_t> before(static_cast<size_t>(Ranks::room(plan.mask.numel())));
  const Ranks ranks(plan.mask.numel(), before.data());
  const int64_t ones = ranks.count(chosen);
  if (!plan.out) {
    *plan.ones = ones;
    return;
  }
  by_width(plan.out.dtype(), [&]<class W>(W) {
    const W* from = plan.source.data<W>();
    W* to = plan.out.data<W>();
    ranks.visit(chosen, [=](int64_t i, int64_t rank) { to[i] = from[rank]; });
  });
}

// Writes the positions of the selected elements of x to rows of out.
template <class Chosen> void list_positions(const Ranks& ranks, const Chosen& chosen, const Tensor& x, const Tensor& out) {
  auto* to = out.data<int64_t>();
  const int ndim = x.dim();
  const int64_t row = out.stride(0), column = out.stride(1), length = x.size(ndim - 1);
  int64_t line_end = 0;  // end of the line along the last dimension with the last visited element
  Shape place(x.sizes());
  ranks.visit(chosen, [=](int64_t i, int64_t rank) mutable {
    if (i >= line_end) {
      int64_t rest = i / length;
      line_end = (rest + 1) * length;
      for (int d = ndim - 2; d >= 0; --d) {
        place[d] = rest % x.size(d) + 1;
        rest /= x.size(d);
      }
    }
    for (int d = 0; d < ndim - 1; ++d) to[rank * row + d * column] = place[d];
    to[rank * row + (ndim - 1) * column] = i - (line_end - length) + 1;
  });
}

void run_nonzero(const NonzeroPlan& plan) {
  const Tensor& x = plan.x;
  dispatch<arithmetic_dtypes>(x.dtype(), [&]<class T>(std::type_identity<T>) {
    const auto chosen = [p = x.data<T>()](int64_t i) { return static_cast<Compute<T>>(p[i]) != Compute<T>(0); };
    const Ranks ranks(x.numel(), plan.ranking.before.data<int64_t>());
    if (plan.ranking.pass == MaskPass::count)
      *plan.ranking.count = ranks.count(chosen);
    else
      list_positions(ranks, chosen, x, plan.out);
  });
}

constexpr Row rows[] = {{&MaskedSelect::decl, &plan_masked_select, kernel<&run_masked_select>()},
                        {&MaskedFill::decl, &plan_masked_fill, kernel<&run_masked_fill>()},
                        {&MaskedCopy::decl, &plan_masked_copy, kernel<&run_masked_copy>()},
                        {&Nonzero::decl, &plan_nonzero, kernel<&run_nonzero>()}};

}  // namespace

std::span<const Row> mask_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
