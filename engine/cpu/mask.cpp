// What the ops in engine/ops/mask-inl.h do.
#include <algorithm>
#include <vector>

#include "engine/cpu/changed.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/mask-inl.h"

// A mask argument: bytes of 0 and 1, contiguous, with x's sizes, in memory that the result doesn't share.
Tensor checked_mask(const Call& call, int i, const Tensor& x) {
  const Tensor& given = call.tensor(i);
  if (given.dtype() != DType::uint8 && given.dtype() != DType::boolean)
    call.fail_at(i, given.dtype(), " came, torch.ByteTensor was expected");
  Tensor mask = given;
  if (mask.numel() != x.numel()) {
    const bool fits = mask.dim() > 0 && mask.dim() <= x.dim() &&
                      std::ranges::equal(Sizes(broadcast(call.name(), call.argument(i), x.sizes(), mask.sizes())), x.sizes());
    if (!fits)
      call.fail_at(i, mask.sizes(), " came, as many elements as ", x.sizes(), " has, or sizes that broadcast to it, were expected");
    mask = expand_to(mask, x.sizes());
  }
  mask = contiguous(mask);
  if (call.is_given(0) && may_overlap(mask, call.result(0))) mask = clone(mask);
  if (mask.numel() > 0 && mask.dtype() == DType::uint8) {
    const auto* p = mask.data<uint8_t>();
    uint8_t bits = 0;
    for (int64_t k = 0; k < mask.numel(); ++k) bits |= p[k];
    if (bits > 1) call.fail_at(i, "Mask tensor can take 0 and 1 values only");
  }
  Shape strides(x.sizes());
  contiguous_strides(x.sizes(), &strides[0]);
  mask.set_geometry(mask.offset(), x.sizes(), strides);
  return mask;
}

// Goes through n elements in chunks, each of which knows how many chosen elements come before it: chosen(i), then visit(i, rank).
class Ranks {
 public:
  template <class Chosen> Ranks(int64_t n, const Chosen& chosen) : n_(n), before_(static_cast<size_t>((n + chunk - 1) / chunk + 1), 0) {
    each_chunk([&](size_t c, int64_t begin, int64_t end) {
      int64_t count = 0;
      for (int64_t i = begin; i < end; ++i) count += chosen(i) ? 1 : 0;
      before_[c + 1] = count;
    });
    for (size_t c = 1; c < before_.size(); ++c) before_[c] += before_[c - 1];
  }
  int64_t count() const { return before_.back(); }
  // Each chunk has its own copy of visit, which may remember where it was.
  template <class Chosen, class Visit> void visit(const Chosen& chosen, const Visit& visit) const {
    each_chunk([&](size_t c, int64_t begin, int64_t end) {
      Visit visit_chosen = visit;
      int64_t rank = before_[c];
      for (int64_t i = begin; i < end; ++i) {
        if (chosen(i)) visit_chosen(i, rank++);
      }
    });
  }
  // to[rank * step] = from[i] for every chosen element. Without branches: a mask of random bits costs a misprediction every other element.
  template <class Chosen, class W> void select(const Chosen& chosen, const W* from, W* to, int64_t step) const {
    each_chunk([&](size_t c, int64_t begin, int64_t end) {
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
  template <class F> void each_chunk(const F& f) const {
    parallel_for(static_cast<int64_t>(before_.size()) - 1, 2, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) f(static_cast<size_t>(c), c * chunk, std::min(n_, (c + 1) * chunk));
    });
  }

  int64_t n_;
  std::vector<int64_t> before_;
};

void masked_select(Call& call) {
  const Tensor mask = checked_mask(call, 1, call.tensor(0)), x = contiguous(call.tensor(0));
  const auto* bits = mask.data<uint8_t>();
  const auto chosen = [bits](int64_t i) { return bits[i] != 0; };
  const Ranks ranks(x.numel(), chosen);
  const Tensor out = call.output(0, x.dtype(), ranks.count() > 0 ? Shape{ranks.count()} : Shape());
  if (ranks.count() > 0) {
    by_width(x.dtype(), [&]<class W>(W) { ranks.select(chosen, x.data<W>(), out.data<W>(), out.stride(0)); });
  }
  call.finish(0, out);
}

void masked_fill(Call& call) {
  const Tensor mask = checked_mask(call, 1, call.tensor(0)), value = number_as(call.arg(2), call.tensor(0).dtype()), out = changed(call);
  if (out.numel() > 0) {
    by_width(out.dtype(), [&]<class W>(W) {
      Iterator it(out.sizes());
      it.add(out);
      it.add(mask);
      it.collapse();
      const W filled = *value.data<W>();
      it.run([filled](std::byte** p, const int64_t* strides, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          W* to = reinterpret_cast<W*>(p[0] + i * strides[0]);
          const auto chosen = static_cast<W>(-static_cast<W>(p[1][i * strides[1]]));  // all bits or none: no branch to mispredict
          *to = static_cast<W>((filled & chosen) | (*to & ~chosen));
        }
      });
    });
  }
  call.finish(0, out);
}

void masked_copy(Call& call) {
  const Tensor& x = call.tensor(0);
  const Tensor mask = checked_mask(call, 1, x);
  const auto* bits = mask.data<uint8_t>();
  const auto chosen = [bits](int64_t i) { return bits[i] != 0; };
  const Ranks ranks(x.numel(), chosen);
  if (call.tensor(2).numel() < ranks.count()) {
    call.fail_at(2, call.tensor(2).numel(), " elements came, the mask has ", ranks.count(),
                 " ones: Number of elements of src < number of ones in mask");
  }
  const Tensor out = changed(call), source = contiguous(apart(call.tensor(2), out));
  if (ranks.count() > 0) {
    const Tensor dense = contiguous(out);
    by_width(out.dtype(), [&]<class W>(W) {
      const W* from = source.data<W>();
      W* to = dense.data<W>();
      ranks.visit(chosen, [=](int64_t i, int64_t rank) { to[i] = from[rank]; });
    });
    if (!out.is_contiguous()) copy(out, dense);
  }
  call.finish(0, out);
}

void nonzero(Call& call) {
  const Tensor x = contiguous(call.tensor(0));
  dispatch(x.dtype(), [&]<class E>(std::type_identity<E>) {
    const E* p = x.data<E>();
    const auto chosen = [p](int64_t i) { return static_cast<Compute<E>>(p[i]) != Compute<E>(0); };
    const Ranks ranks(x.numel(), chosen);
    const int ndim = x.dim();
    const Tensor out = call.output(0, DType::int64, ranks.count() > 0 ? Shape{ranks.count(), ndim} : Shape());
    if (ranks.count() > 0) {
      auto* to = out.data<int64_t>();
      const int64_t row = out.stride(0), column = out.stride(1);
      const int64_t length = x.size(ndim - 1);
      int64_t line_end = 0;  // of the line along the last dimension in which the last visited element lay
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
    call.finish(0, out);
  });
}

constexpr Row rows[] = {{&MaskedSelect::decl, &masked_select},
                        {&MaskedFill::decl, &masked_fill},
                        {&MaskedCopy::decl, &masked_copy},
                        {&Nonzero::decl, &nonzero}};

}  // namespace

std::span<const Row> mask_rows() { return rows; }

}  // namespace mt::cpu
