// What the ops in rearrange-inl.h do. Only an element's size counts, not what it is.
#include <cstring>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/registry.h"
#include "engine/ops/register.h"

namespace mt {
namespace {

#include "engine/ops/rearrange-inl.h"

constexpr int64_t grain_bytes = 1 << 17;  // copied by a thread at least

// Zeros what isn't kept of the rows of each matrix.
void keep_triangle(Call& call, bool lower) {
  const Tensor& x = call.tensor(0);
  const int64_t k = call.integer(1);
  if (x.dim() < 2) call.fail_at(0, x.sizes(), " came, expected a matrix");
  const Tensor out = call.output(0, x.dtype(), x.sizes());
  const Tensor dense = out.is_contiguous() ? out : Tensor::empty(x.dtype(), x.sizes());
  const int64_t rows = x.size(x.dim() - 2), columns = x.size(x.dim() - 1), width = size_of(x.dtype());
  if (x.numel() > 0) {
    copy(dense, x);
    parallel_for(x.numel() / columns, std::max<int64_t>(1, grain_bytes / (columns * width)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i % rows;
        // The first column of the other side. A k far outside changes nothing more, and must not overflow.
        const int64_t reach = std::clamp<int64_t>(k, -rows, columns);
        const int64_t border = std::clamp<int64_t>(row + reach + (lower ? 1 : 0), 0, columns);
        std::byte* p = dense.bytes() + i * columns * width;
        if (lower)
          std::memset(p + border * width, 0, static_cast<size_t>((columns - border) * width));
        else
          std::memset(p, 0, static_cast<size_t>(border * width));
      }
    });
    if (dense.storage() != out.storage()) copy(out, dense);
  }
  call.finish(0, out);
}

void tril(Call& call) { keep_triangle(call, true); }
void triu(Call& call) { keep_triangle(call, false); }

// Element i of a dimension of the result is element source[i] of the argument.
using Order = std::vector<int64_t>;

// Elements from `first` on, each `step` behind the one before.
struct Run {
  int64_t first, step, count;
};

std::vector<Run> runs_of(const Order& order) {
  std::vector<Run> runs;
  for (const int64_t at : order) {
    if (!runs.empty()) {
      Run& last = runs.back();
      if (last.count == 1) last.step = at - last.first;
      if (at == last.first + last.step * last.count) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({at, 1, 1});
  }
  return runs;
}

template <class Bits> void copy_runs(std::byte* to, const std::byte* from, int64_t stride, const std::vector<Run>& runs) {
  auto* out = reinterpret_cast<Bits*>(to);
  for (const Run& run : runs) {
    const std::byte* at = from + run.first * stride;
    const int64_t next = run.step * stride;
    if (next == sizeof(Bits)) {
      std::memcpy(out, at, static_cast<size_t>(run.count) * sizeof(Bits));
    } else {
      for (int64_t i = 0; i < run.count; ++i, at += next) out[i] = *reinterpret_cast<const Bits*>(at);
    }
    out += run.count;
  }
}

// A copy of x with its elements in these orders.
void reorder(Call& call, const Tensor& x, Sizes result_sizes, std::vector<Order> orders) {
  const Tensor out = call.output(0, x.dtype(), result_sizes);
  if (x.numel() > 0) {
    const Tensor dense = out.is_contiguous() ? out : Tensor::empty(x.dtype(), result_sizes);
    const int last = x.dim() - 1;
    const int64_t width = size_of(x.dtype()), n = x.size(last), bytes = n * width;
    for (int d = 0; d < last; ++d) {
      for (int64_t& at : orders[static_cast<size_t>(d)]) at *= x.stride(d) * width;
    }
    const std::vector<Run> row = runs_of(orders[static_cast<size_t>(last)]);
    const auto copy_row = width == 1   ? &copy_runs<uint8_t>
                          : width == 2 ? &copy_runs<uint16_t>
                          : width == 4 ? &copy_runs<uint32_t>
                                       : &copy_runs<uint64_t>;
    parallel_for(x.numel() / n, std::max<int64_t>(1, grain_bytes / bytes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const std::byte* from = x.bytes();
        int64_t rest = i;
        for (int d = last - 1; d >= 0; --d) {
          from += orders[static_cast<size_t>(d)][static_cast<size_t>(rest % x.size(d))];
          rest /= x.size(d);
        }
        copy_row(dense.bytes() + i * bytes, from, x.stride(last) * width, row);
      }
    });
    if (dense.storage() != out.storage()) copy(out, dense);
  }
  call.finish(0, out);
}

std::vector<Order> same_orders(const Tensor& x) {
  std::vector<Order> orders(static_cast<size_t>(x.dim()));
  for (int d = 0; d < x.dim(); ++d) {
    for (int64_t i = 0; i < x.size(d); ++i) orders[static_cast<size_t>(d)].push_back(i);
  }
  return orders;
}

void flip(Call& call) {
  const Tensor& x = call.tensor(0);
  std::vector<bool> turned(static_cast<size_t>(x.dim()), !call.has(1));
  if (call.has(1)) {
    for (const int64_t dim : call.sizes(1)) {
      const int64_t d = dim < 0 ? dim + x.dim() : dim - 1;
      if (d < 0 || d >= x.dim()) call.fail_at(1, "dimension ", dim, " out of range 1..", x.dim());
      if (turned[static_cast<size_t>(d)]) call.fail_at(1, "dimension ", dim, " came twice");
      turned[static_cast<size_t>(d)] = true;
    }
  }
  std::vector<Order> orders = same_orders(x);
  for (size_t d = 0; d < orders.size(); ++d) {
    if (turned[d]) std::reverse(orders[d].begin(), orders[d].end());
  }
  reorder(call, x, x.sizes(), std::move(orders));
}

void roll(Call& call) {
  const Tensor& given = call.tensor(0);
  Tensor x = given;
  int dim = 0;
  if (call.has(2)) {
    dim = call.dim(2, given.dim());
  } else if (given.numel() > 0) {
    x = contiguous(given);
    x.set_geometry(x.offset(), Shape{given.numel()}, Shape{1});
  }
  std::vector<Order> orders = same_orders(x);
  if (x.numel() > 0) {
    Order& order = orders[static_cast<size_t>(dim)];
    const auto n = static_cast<int64_t>(order.size());
    const int64_t shift = (call.integer(1) % n + n) % n;
    std::rotate(order.begin(), order.end() - shift, order.end());
  }
  reorder(call, x, given.sizes(), std::move(orders));
}

constexpr Row rows[] = {{&Tril::decl, &tril}, {&Triu::decl, &triu}, {&Flip::decl, &flip}, {&Roll::decl, &roll}};

}  // namespace

std::span<const Row> rearrange_rows() { return rows; }

}  // namespace mt
