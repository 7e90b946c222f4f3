#include "engine/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/wrapping.h"

namespace mt {
namespace {

constexpr int64_t usual_chunk = 32768;   // elements of a contiguous run that are folded at once
constexpr int64_t long_chunk = 1 << 18;  // the same of runs that are longer than caches: far_run
constexpr int64_t far_run = 1 << 22;
constexpr int64_t column_work = 1 << 18;  // elements of a block of columns that are folded at once
constexpr int64_t gather_block = 1024;    // elements collected when they do not lie side by side
constexpr int64_t short_run = 64;         // shorter contiguous runs are collected too
constexpr int64_t rows_in_order = 16;     // that are folded side by side where the elements of each must be taken in order
constexpr int64_t grain = 131072;         // elements a thread gets at least: some ten microseconds of work

// A dimension: its size, and the byte strides of the argument and of the results.
struct Axis {
  int64_t size, in, out[2];
};

struct Axes {
  Axis list[max_dims];
  int count = 0;

  // Appends an axis that lies inside the others; one with the last where they make one sequence.
  void add(const Axis& a) {
    if (a.size == 1) return;
    if (count > 0) {
      Axis& last = list[count - 1];
      const auto spans = [&](int64_t outer, int64_t inner) { return outer == wrapping_product(inner, a.size); };
      if (spans(last.in, a.in) && spans(last.out[0], a.out[0]) && spans(last.out[1], a.out[1])) {
        last = {wrapping_product(last.size, a.size), a.in, {a.out[0], a.out[1]}};
        return;
      }
    }
    list[count++] = a;
  }
  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < count; ++i) n = wrapping_product(n, list[i].size);
    return n;
  }
  void erase(int i) {
    std::copy(list + i + 1, list + count, list + i);
    --count;
  }
};

// Byte offsets of element number `index` of some axes.
struct Place {
  int64_t in = 0, out[2] = {0, 0};

  Place(const Axes& axes, int64_t index) {
    for (int i = axes.count - 1; i >= 0; --i) {
      const Axis& a = axes.list[i];
      const int64_t at = index % a.size;
      index /= a.size;
      in += at * a.in;
      out[0] += at * a.out[0];
      out[1] += at * a.out[1];
    }
  }
};

void gather(std::byte* to, const std::byte* from, int64_t stride, int64_t n, int width) {
  const auto move = [&]<class W>(W) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<W*>(to)[i] = *reinterpret_cast<const W*>(from + i * stride);
  };
  switch (width) {
    case 1:
      return move(uint8_t{});
    case 2:
      return move(uint16_t{});
    case 4:
      return move(uint32_t{});
    default:
      return move(uint64_t{});
  }
}

class Reduction {
 public:
  // x is reduced along `dim`, or whole when it is -1. The results have x's dimensions, `dim` with size 1; or one element.
  Reduction(const ReduceKernel& kernel, ReduceArgs args, const Tensor& x, int dim, Tensor* const* results, int result_count, bool in_order)
      : kernel_(kernel), args_(args), width_(size_of(x.dtype())), x_(x.bytes()), whole_(kernel.merge == nullptr) {
    out_ = {results[0]->dtype(), {}, {}};
    for (int r = 0; r < result_count; ++r) out_.data[r] = results[r]->bytes();
    for (int d = 0; d < x.dim(); ++d) {
      Axis a{x.size(d), x.stride(d) * width_, {0, 0}};
      if (dim < 0 || d == dim) {
        reduced_.add(a);
      } else {
        for (int r = 0; r < result_count; ++r) a.out[r] = results[r]->stride(d) * size_of(results[r]->dtype());
        kept_.add(a);
      }
    }
    if (!in_order) put_in_memory_order();
    n_ = args_.count = dim < 0 ? x.numel() : x.size(dim);
  }

  void run() {
    if (n_ == 0) {
      fill();
    } else if (const int c = column_axis(); c >= 0) {
      run_columns(c);
    } else {
      run_rows();
    }
  }

 private:
  void put_in_memory_order() {
    if (reduced_.count < 2) return;
    std::stable_sort(reduced_.list, reduced_.list + reduced_.count,
                     [](const Axis& a, const Axis& b) { return std::abs(a.in) > std::abs(b.in); });
    Axes sorted;
    for (int i = 0; i < reduced_.count; ++i) sorted.add(reduced_.list[i]);
    reduced_ = sorted;
  }

  // The kept axis along which elements lie side by side, when those of one result do not.
  int column_axis() const {
    if (reduced_.count > 0 && reduced_.list[reduced_.count - 1].in == width_) return -1;
    int best = -1;
    for (int i = 0; i < kept_.count; ++i) {
      if (kept_.list[i].in == width_ && kept_.list[i].size >= 4) best = i;
    }
    return best;
  }

  ReduceOut out_at(const Place& place, int64_t stride0, int64_t stride1) const {
    return {out_.dtype, {out_.data[0] + place.out[0], out_.data[1] + place.out[1]}, {stride0, stride1}};
  }

  // Results of no element.
  void fill() const {
    std::byte memory[8 * max_accumulator_fields];
    const Accumulators acc{memory, 1};
    for (int64_t i = 0, m = kept_.numel(); i < m; ++i) {
      kernel_.start(acc, 1);
      kernel_.finish(args_, acc, 1, out_at(Place(kept_, i), 0, 0));
    }
  }

  // Elements begin..end of the result whose first element is at x.
  void fold(const std::byte* x, int64_t begin, int64_t end, Accumulators acc) const {
    if (reduced_.count == 0) {
      kernel_.rows(args_, x, 1, 1, 0, 0, acc);
      return;
    }
    const Axis& inner = reduced_.list[reduced_.count - 1];
    if (reduced_.count == 1 && inner.in == width_) {
      kernel_.rows(args_, x + begin * width_, end - begin, 1, 0, begin, acc);
      return;
    }
    alignas(64) std::byte buffer[gather_block * 8];
    int64_t filled = 0;
    for (int64_t at = begin; at < end;) {
      const int64_t inside = at % inner.size;
      int64_t run = std::min(inner.size - inside, end - at);
      const std::byte* from = x + Place(reduced_, at).in;
      if (inner.in == width_ && run >= short_run) {
        flush(buffer, filled, at, acc);
        kernel_.rows(args_, from, run, 1, 0, at, acc);
      } else {
        run = std::min(run, gather_block - filled);
        gather(buffer + filled * width_, from, inner.in, run, width_);
        filled += run;
        if (filled == gather_block) flush(buffer, filled, at + run, acc);
      }
      at += run;
    }
    flush(buffer, filled, end, acc);
  }

  void flush(const std::byte* buffer, int64_t& filled, int64_t end, Accumulators acc) const {
    if (filled > 0) kernel_.rows(args_, buffer, filled, 1, 0, end - filled, acc);
    filled = 0;
  }

  // f(unit) for each unit of work, `least` of them or more a thread.
  template <class F> static void each_unit(int64_t units, int64_t least, F f) {
    parallel_for(units, std::max<int64_t>(1, least), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f(i);
    });
  }

  // One result after the other. Many short ones: a block of them is one unit of work; long ones have several chunks.
  void run_rows() {
    const int64_t outputs = kept_.numel();
    const int64_t chunk = n_ >= far_run ? long_chunk : usual_chunk, chunks = whole_ ? 1 : (n_ + chunk - 1) / chunk;
    if (chunks == 1) {
      const int64_t block = std::clamp<int64_t>(chunk / n_, whole_ ? rows_in_order : 1, accumulators_block);
      each_unit((outputs + block - 1) / block, grain / (n_ * block), [&](int64_t unit) {
        alignas(64) std::byte memory[8 * max_accumulator_fields * accumulators_block];
        const int64_t end = std::min(outputs, (unit + 1) * block);
        for (int64_t i = unit * block; i < end;) i += rows_block(i, end, memory);
      });
      return;
    }
    const int64_t bytes = 8 * kernel_.fields;
    std::vector<std::byte> partial(static_cast<size_t>(outputs * chunks * bytes));
    each_unit(outputs * chunks, grain / chunk, [&](int64_t unit) {
      const Accumulators acc{partial.data() + unit * bytes, 1};
      const int64_t first = unit % chunks * chunk;
      kernel_.start(acc, 1);
      fold(x_ + Place(kept_, unit / chunks).in, first, std::min(n_, first + chunk), acc);
    });
    for (int64_t i = 0; i < outputs; ++i) {
      std::byte* parts = partial.data() + i * chunks * bytes;
      merge(parts, chunks, bytes, 1, 1);
      kernel_.finish(args_, {parts, 1}, 1, out_at(Place(kept_, i), 0, 0));
    }
  }

  // Results from `begin`, as many of those before `end` as lie along one axis; how many they were.
  int64_t rows_block(int64_t begin, int64_t end, std::byte* memory) const {
    const Place place(kept_, begin);
    Axis along{1, 0, {0, 0}};
    int64_t m = 1;
    if (kept_.count > 0) {
      along = kept_.list[kept_.count - 1];
      m = std::min(end - begin, along.size - begin % along.size);
    }
    const Accumulators acc{memory, accumulators_block};
    kernel_.start(acc, m);
    const std::byte* x = x_ + place.in;
    if (reduced_.count == 0 || (reduced_.count == 1 && reduced_.list[0].in == width_)) {
      kernel_.rows(args_, x, n_, m, along.in, 0, acc);
    } else {
      for (int64_t i = 0; i < m; ++i) fold(x + i * along.in, 0, n_, acc.from(i));
    }
    kernel_.finish(args_, acc, m, out_at(place, along.out[0], along.out[1]));
    return m;
  }

  void merge(std::byte* parts, int64_t count, int64_t bytes, int64_t capacity, int64_t m) const {
    for (int64_t step = 1; step < count; step *= 2) {
      for (int64_t i = 0; i + step < count; i += 2 * step) {
        kernel_.merge(args_, {parts + i * bytes, capacity}, {parts + (i + step) * bytes, capacity}, m);
      }
    }
  }

  // Side by side results together, row after row.
  void run_columns(int c) {
    const Axis column = kept_.list[c];
    kept_.erase(c);
    const int64_t width = std::min(accumulators_block, column.size), blocks = (column.size + width - 1) / width;
    const int64_t rows = std::max<int64_t>(32, column_work / width), chunks = whole_ ? 1 : (n_ + rows - 1) / rows;
    const int64_t tasks = kept_.numel() * blocks;
    const auto columns_of = [&](int64_t task) { return std::min(width, column.size - task % blocks * width); };
    const auto finish = [&](int64_t task, Accumulators acc) {
      Place place(kept_, task / blocks);
      for (int r = 0; r < 2; ++r) place.out[r] += task % blocks * width * column.out[r];
      kernel_.finish(args_, acc, columns_of(task), out_at(place, column.out[0], column.out[1]));
    };
    const auto fold_part = [&](int64_t task, int64_t begin, int64_t end, Accumulators acc) {
      const int64_t m = columns_of(task);
      kernel_.start(acc, m);
      fold_columns(x_ + Place(kept_, task / blocks).in + task % blocks * width * width_, begin, end, m, acc);
    };
    if (chunks == 1) {
      each_unit(tasks, grain / (width * n_), [&](int64_t task) {
        alignas(64) std::byte memory[8 * max_accumulator_fields * accumulators_block];
        const Accumulators acc{memory, accumulators_block};
        fold_part(task, 0, n_, acc);
        finish(task, acc);
      });
      return;
    }
    const int64_t bytes = 8 * kernel_.fields * width;
    std::vector<std::byte> partial(static_cast<size_t>(tasks * chunks * bytes));
    each_unit(tasks * chunks, grain / (rows * width), [&](int64_t unit) {
      const int64_t task = unit % tasks, part = unit / tasks, first = part * rows;  // all columns of some rows lie side by side
      fold_part(task, first, std::min(n_, first + rows), {partial.data() + (task * chunks + part) * bytes, width});
    });
    for (int64_t task = 0; task < tasks; ++task) {
      std::byte* parts = partial.data() + task * chunks * bytes;
      merge(parts, chunks, bytes, width, columns_of(task));
      finish(task, {parts, width});
    }
  }

  void fold_columns(const std::byte* x, int64_t begin, int64_t end, int64_t m, Accumulators acc) const {
    if (reduced_.count == 0) {
      kernel_.columns(args_, x, 1, m, 0, 0, acc);
      return;
    }
    const Axis& inner = reduced_.list[reduced_.count - 1];
    for (int64_t at = begin; at < end;) {
      const int64_t run = std::min(inner.size - at % inner.size, end - at);
      kernel_.columns(args_, x + Place(reduced_, at).in, run, m, inner.in, at, acc);
      at += run;
    }
  }

  const ReduceKernel& kernel_;
  ReduceArgs args_;
  int64_t width_, n_;
  const std::byte* x_;
  bool whole_;  // what goes into a result is not taken apart
  ReduceOut out_;
  Axes kept_, reduced_;
};

const ReduceKernel& kernel_for(const Call& call, DType dtype, int variant) {
  const ReduceKernel& k = static_cast<const ReduceKernels*>(call.op.kernel.data)->variants[variant][static_cast<int>(dtype)];
  if (k.rows == nullptr)
    call.fail_at(0, dtype, " came, ", call.op.decl->integers ? "a tensor of numbers" : "a tensor of floats", " was expected");
  return k;
}

struct Plan {
  const ReduceKernel& kernel;
  ReduceArgs args;
  const Tensor& x;
  int dim;          // -1: all
  DType dtypes[2];  // of the results
  int results = 1;
  bool in_order = false;
};

void reduce(Call& call, const Plan& plan) {
  const Tensor& x = plan.x;
  if (plan.dim < 0 && x.is_contiguous() && x.numel() <= usual_chunk && x.numel() > 0 && !call.is_given(0)) {
    // A small tensor, whole: what is above would cost several times the arithmetic.
    std::byte memory[8 * max_accumulator_fields];
    const Accumulators acc{memory, 1};
    ReduceArgs args = plan.args;
    args.count = x.numel();
    const Tensor out = call.output(0, plan.dtypes[0], Shape{1});
    plan.kernel.start(acc, 1);
    plan.kernel.rows(args, x.bytes(), args.count, 1, 0, 0, acc);
    plan.kernel.finish(args, acc, 1, {plan.dtypes[0], {out.bytes(), nullptr}, {0, 0}});
    return;
  }
  Shape sizes(x.sizes());
  if (plan.dim < 0)
    sizes = Shape{1};
  else
    sizes[plan.dim] = 1;
  Tensor outs[2];
  Tensor* pointers[2] = {&outs[0], &outs[1]};
  for (int r = 0; r < plan.results; ++r) outs[r] = call.output(r, plan.dtypes[r], sizes);
  if (outs[0].numel() > 0) Reduction(plan.kernel, plan.args, x, plan.dim, pointers, plan.results, plan.in_order).run();
  for (int r = 0; r < plan.results; ++r) call.finish(r, outs[r]);
}

// Argument i as a dimension of x, -1 when it was left out.
int optional_dim(const Call& call, int i) { return call.has(i) ? call.dim(i, call.tensor(0).dim()) : -1; }

void check_some(const Call& call, const Tensor& x, int dim) {
  if (dim < 0 ? x.numel() == 0 : x.size(dim) == 0)
    call.fail_at(0, x.sizes(), " came, one element or more was expected: tensor must have one dimension");
}

// Integers are counted in 64 bits; along a dimension the sum has their own dtype.
DType sum_dtype(DType dtype, int dim) { return is_float(dtype) || (dim >= 0 && dtype != DType::boolean) ? dtype : DType::int64; }

// What all elements of floats give: as a number it isn't rounded to their dtype, as in Torch7.
DType whole_dtype(const Call& call, DType dtype, int dim) { return dim < 0 && call.as_number && is_float(dtype) ? DType::float64 : dtype; }

Tensor float_operand(const Call& call, int dim) {
  if (dim < 0) call.refuse_positions();
  const Tensor& x = call.tensor(0);
  return to_dtype(x, float_for(x.dtype()));
}

}  // namespace

void run_sum(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  reduce(call, {kernel_for(call, x.dtype(), 0), {}, x, dim, {whole_dtype(call, sum_dtype(x.dtype(), dim), dim)}});
}

void run_prod(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  const bool in_order = dim >= 0 && (x.dtype() == DType::float32 || x.dtype() == DType::float64);
  reduce(call, {kernel_for(call, x.dtype(), in_order ? 1 : 0), {}, x, dim, {whole_dtype(call, sum_dtype(x.dtype(), dim), dim)}});
}

void run_mean(Call& call) {
  const int dim = optional_dim(call, 1);
  const Tensor x = float_operand(call, dim);
  if (dim < 0) check_some(call, x, dim);
  reduce(call, {kernel_for(call, x.dtype(), 0), {}, x, dim, {whole_dtype(call, x.dtype(), dim)}});
}

void run_extremum(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  if (dim < 0)
    reduce(call, {kernel_for(call, x.dtype(), 0), {}, x, dim, {x.dtype()}});
  else
    reduce(call, {kernel_for(call, x.dtype(), 1), {}, x, dim, {x.dtype(), DType::int64}, 2, true});
}

void run_position(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  reduce(call, {kernel_for(call, x.dtype(), 0), {}, x, dim, {DType::int64}, 1, true});
}

void run_norm(Call& call) {
  const double p = call.number(1);
  const int dim = optional_dim(call, 2);
  const Tensor x = float_operand(call, dim);
  if (std::isnan(p)) call.fail_at(1, p, " came, a number was expected");
  const int infinite = p > 0 ? 3 : 4;
  const int variant = p == 2 ? 0 : p == 1 ? 1 : p == 0 ? 2 : std::isinf(p) ? infinite : 5;
  ReduceArgs args;
  args.p = p;
  reduce(call, {kernel_for(call, x.dtype(), variant), args, x, dim, {whole_dtype(call, x.dtype(), dim)}});
}

void run_variance(Call& call) {
  const int dim = optional_dim(call, 1);
  const Tensor x = float_operand(call, dim);
  if (dim < 0) check_some(call, x, dim);
  ReduceArgs args;
  args.biased = call.boolean(2);
  reduce(call, {kernel_for(call, x.dtype(), 0), args, x, dim, {whole_dtype(call, x.dtype(), dim)}});
}

void run_test(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  reduce(call, {kernel_for(call, x.dtype(), 0), {}, x, dim, {dim < 0 ? DType::boolean : DType::uint8}});
}

}  // namespace mt
