// Assigns elements to results, orders them, and divides them among threads: shared by all reductions.
//
// Elements are folded in chunks whose borders depend only on sizes and strides, and chunks are merged pairwise: so results are the same
// bits for any number of threads, and errors grow with the logarithm of the number of chunks.
#include "engine/cpu/reduce.h"

#include <cmath>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/sort_few.h"
#include "engine/core/wrapping.h"
#include "engine/cpu/reduce_source.h"

namespace mt::cpu {
namespace {

constexpr int64_t usual_chunk = 32768;   // elements of a contiguous run that are folded at once
constexpr int64_t long_chunk = 1 << 18;  // the same for runs that are longer than caches: far_run
constexpr int64_t far_run = 1 << 22;
constexpr int64_t column_work = 1 << 18;  // elements of a block of columns that are folded at once
constexpr int64_t gather_block = 1024;    // elements gathered if they are not adjacent
constexpr int64_t short_run = 64;         // shorter contiguous runs are gathered too
constexpr int64_t rows_in_order = 16;     // that are folded in parallel if the elements of each must be in order
constexpr int64_t widen_block = 1024;     // 16-bit floats of a run that are converted to float at once
constexpr int64_t grain = 131072;         // elements per thread at least: some ten microseconds of work
constexpr int64_t shared_part = 32768;    // bytes that several loops read in turn, while they are in the cache
constexpr int max_results = ReducePlan::max_results;

// A dimension: its size, and the byte strides of the argument and of the results.
struct Axis {
  int64_t size, in, out[max_results];
};

struct Axes {
  Axis list[max_dims];
  int count = 0, results = 1;

  // Appends an axis inside the others; merges it with the last if they form one sequence.
  void add(const Axis& a) {
    if (a.size == 1) return;
    if (count > 0) {
      Axis& last = list[count - 1];
      const auto spans = [&](int64_t outer, int64_t inner) { return outer == wrapping_product(inner, a.size); };
      bool all_span = spans(last.in, a.in);
      for (int r = 0; r < results; ++r) all_span = all_span && spans(last.out[r], a.out[r]);
      if (all_span) {
        const int64_t size = wrapping_product(last.size, a.size);
        last = a;
        last.size = size;
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

// Byte offsets of element number `index` along some axes.
struct Place {
  int64_t in = 0, out[max_results];

  Place(const Axes& axes, int64_t index) {
    int64_t first = 0;
    if (axes.results > 1) [[unlikely]]
      std::fill_n(out + 1, axes.results - 1, 0);
    for (int i = axes.count - 1; i >= 0; --i) {
      const Axis& a = axes.list[i];
      const int64_t at = index % a.size;
      index /= a.size;
      in += at * a.in;
      first += at * a.out[0];
      if (axes.results > 1) [[unlikely]]
        for (int r = 1; r < axes.results; ++r) out[r] += at * a.out[r];
    }
    out[0] = first;
  }
};

void gather(std::byte* to, const std::byte* from, int64_t stride, int64_t n, int width) {
  by_width(width, [&]<class W>(W) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<W*>(to)[i] = *reinterpret_cast<const W*>(from + i * stride);
  });
}

// The memory for finished results.
struct Destination {
  ReduceOutput results[max_results];
};

// An op's loops in a call: converts 16-bit floats for loops over floats.
class Folder {
 public:
  Folder(const ReduceVariant& variant, const ReduceArgs& args, DType dtype)
      : variant_(variant), args_(args), dtype_(dtype), first_((*variant.loops[0])[static_cast<size_t>(dtype)]) {}

  int fields() const {
    int sum = first_.fields;
    others([&](const ReduceLoops& loops, int, int) { sum += loops.fields; });
    return sum;
  }
  bool merges() const {
    bool all = first_.merge != nullptr;
    others([&](const ReduceLoops& loops, int, int) { all = all && loops.merge != nullptr; });
    return all;
  }
  void start(const Accumulators& acc, int64_t m) const {
    first_.start(acc, m);
    others([&](const ReduceLoops& loops, int field, int) { loops.start(acc.from_field(field), m); });
  }
  void rows(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, const Accumulators& acc) const {
    if (first_.widened) return widened_rows(x, n, m, stride, first, acc);
    if (variant_.count > 1) return shared_rows(x, n, m, stride, first, acc, size_of(dtype_));
    first_.rows(args_, x, n, m, stride, first, acc);
  }
  void columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, const Accumulators& acc) const {
    if (first_.widened) return widened_columns(x, n, m, stride, first, acc);
    if (variant_.count > 1) return shared_columns(x, n, m, stride, first, acc, size_of(dtype_));
    first_.columns(args_, x, n, m, stride, first, acc);
  }
  void merge(const Accumulators& into, const Accumulators& later, int64_t m) const {
    first_.merge(into, later, m);
    others([&](const ReduceLoops& loops, int field, int) { loops.merge(into.from_field(field), later.from_field(field), m); });
  }
  void finish(const Accumulators& acc, int64_t m, const Destination& to) const {
    first_.finish(args_, acc, m, to.results);
    others([&](const ReduceLoops& loops, int field, int result) { loops.finish(args_, acc.from_field(field), m, to.results + result); });
  }

 private:
  // Calls f(loops, their first field, their first result) for each set of loops after the first.
  template <class F> void others(F f) const {
    if (variant_.count == 1) [[likely]]
      return;
    int field = first_.fields, result = first_.results;
    for (int i = 1; i < variant_.count; ++i) {
      const ReduceLoops& loops = (*variant_.loops[i])[static_cast<size_t>(dtype_)];
      f(loops, field, result);
      field += loops.fields;
      result += loops.results;
    }
  }

  // Elements of `width` bytes: several loops in turn read what fits into the cache.
  [[gnu::noinline]] void shared_rows(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, const Accumulators& acc,
                                     int64_t width) const {
    const int64_t most = shared_part / width, together = std::max<int64_t>(1, most / n);  // elements of a run, and runs
    for (int64_t i = 0; i < m; i += together) {
      const int64_t count = std::min(together, m - i);
      for (int64_t done = 0; done < n; done += most) {
        const int64_t part = std::min(most, n - done);
        const std::byte* const from = x + i * stride + done * width;
        const Accumulators into = acc.from(i);
        first_.rows(args_, from, part, count, stride, first + done, into);
        others([&](const ReduceLoops& loops, int field, int) {
          loops.rows(args_, from, part, count, stride, first + done, into.from_field(field));
        });
      }
    }
  }

  [[gnu::noinline]] void shared_columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, const Accumulators& acc,
                                        int64_t width) const {
    const int64_t rows = std::max<int64_t>(16, shared_part / (m * width));
    for (int64_t row = 0; row < n; row += rows) {
      const int64_t count = std::min(rows, n - row);
      const std::byte* const from = x + row * stride;
      first_.columns(args_, from, count, m, stride, first + row, acc);
      others([&](const ReduceLoops& loops, int field, int) {
        loops.columns(args_, from, count, m, stride, first + row, acc.from_field(field));
      });
    }
  }

  WidenFn widening() const { return dtype_ == DType::float16 ? &widen_elements<Half> : &widen_elements<BFloat16>; }

  [[gnu::noinline]] void widened_rows(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first,
                                      const Accumulators& acc) const {
    alignas(64) float buffer[widen_block];
    const auto* const floats = reinterpret_cast<const std::byte*>(buffer);
    const WidenFn widen = widening();
    const int64_t together = std::max<int64_t>(1, widen_block / n);  // rows
    for (int64_t i = 0; i < m; i += together) {
      const int64_t count = std::min(together, m - i);
      for (int64_t done = 0; done < n; done += widen_block) {
        const int64_t part = std::min(widen_block, n - done);
        for (int64_t r = 0; r < count; ++r) widen(buffer + r * n, x + (i + r) * stride + 2 * done, part);
        shared_rows(floats, part, count, n * 4, first + done, acc.from(i), 4);
      }
    }
  }

  [[gnu::noinline]] void widened_columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first,
                                         const Accumulators& acc) const {
    in_float_blocks(widening(), x, n, m, stride,
                    [&](const std::byte* block, int64_t rows, int64_t step, int64_t columns, int64_t row, int64_t column) {
                      shared_columns(block, rows, columns, step, first + row, acc.from(column), 4);
                    });
  }

  const ReduceVariant& variant_;
  const ReduceArgs& args_;
  DType dtype_;               // of elements
  const ReduceLoops& first_;  // followed by the others
};

class Reduction {
 public:
  Reduction(const ReducePlan& plan, const Folder& folder, const ElementSource* source = nullptr)
      : folder_(folder),
        source_(source),
        width_(size_of(plan.x.dtype())),
        n_(plan.args.count),
        x_(plan.x.bytes()),
        whole_(!folder.merges()) {
    const Tensor& x = plan.x;
    const auto& results = plan.results;
    kept_.results = plan.result_count;
    for (int r = 0; r < plan.result_count; ++r) out_.results[r] = {results[r].dtype(), results[r].bytes(), 0};
    for (int d = 0; d < x.dim(); ++d) {
      Axis a{x.size(d), x.stride(d) * width_, {}};
      if (plan.dim < 0 || d == plan.dim) {
        reduced_.add(a);
      } else {
        for (int r = 0; r < plan.result_count; ++r) a.out[r] = results[r].stride(d) * size_of(results[r].dtype());
        kept_.add(a);
      }
    }
    if (!plan.in_order) put_in_memory_order();
  }

  // Whether the elements of a result, in order, are adjacent, and can be folded in parts.
  bool reads_in_order() const { return !whole_ && column_axis() < 0; }

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
  static constexpr Axis one{1, 0, {}};

  void put_in_memory_order() {
    if (reduced_.count < 2) return;
    sort_few(reduced_.list, reduced_.list + reduced_.count, [](const Axis& a, const Axis& b) { return std::abs(a.in) > std::abs(b.in); });
    Axes sorted;
    for (int i = 0; i < reduced_.count; ++i) sorted.add(reduced_.list[i]);
    reduced_ = sorted;
  }

  // The kept axis along which elements are adjacent, if those of one result are not.
  int column_axis() const {
    if (reduced_.count > 0 && reduced_.list[reduced_.count - 1].in == width_) return -1;
    int best = -1;
    for (int i = 0; i < kept_.count; ++i) {
      if (kept_.list[i].in == width_ && kept_.list[i].size >= 4) best = i;
    }
    return best;
  }

  // The results from a position on, along an axis.
  Destination out_at(const Place& place, const Axis& along = one) const {
    Destination to;
    int r = 0;  // there is at least one
    do to.results[r] = {out_.results[r].dtype, out_.results[r].data + place.out[r], along.out[r]};
    while (++r < kept_.results);
    return to;
  }

  // Sets the results of no elements.
  void fill() const {
    alignas(field_bytes) std::byte memory[field_bytes * max_accumulator_fields];
    const Accumulators acc{memory, 1};
    for (int64_t i = 0, m = kept_.numel(); i < m; ++i) {
      folder_.start(acc, 1);
      folder_.finish(acc, 1, out_at(Place(kept_, i)));
    }
  }

  // Folds elements begin..end of the result whose first element is at x.
  void fold(const std::byte* x, int64_t begin, int64_t end, const Accumulators& acc) const {
    if (reduced_.count == 0) {
      folder_.rows(x, 1, 1, 0, 0, acc);
      return;
    }
    const Axis& inner = reduced_.list[reduced_.count - 1];
    if (reduced_.count == 1 && inner.in == width_) {
      folder_.rows(x + begin * width_, end - begin, 1, 0, begin, acc);
      return;
    }
    alignas(64) std::byte buffer[gather_block * field_bytes];
    int64_t filled = 0;
    for (int64_t at = begin; at < end;) {
      const int64_t inside = at % inner.size;
      int64_t run = std::min(inner.size - inside, end - at);
      const std::byte* from = x + Place(reduced_, at).in;
      if (inner.in == width_ && run >= short_run) {
        flush(buffer, filled, at, acc);
        folder_.rows(from, run, 1, 0, at, acc);
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

  void flush(const std::byte* buffer, int64_t& filled, int64_t end, const Accumulators& acc) const {
    if (filled > 0) folder_.rows(buffer, filled, 1, 0, end - filled, acc);
    filled = 0;
  }

  // The elements that the source computes, in place of those at x_ + offset.
  class Computed {
   public:
    Computed(const Reduction& reduction, int64_t offset, int64_t n) : offset_(offset) {
      if (reduction.source_ == nullptr) {
        x_ = reduction.x_ + offset;
        return;
      }
      buffer_ = Tensor::empty(DType::uint8, {n * reduction.width_});
      reduction.source_->write(reduction.source_->context, offset / reduction.width_, n, buffer_.bytes());
      x_ = buffer_.bytes();
    }
    const std::byte* at(int64_t offset) const { return x_ + (offset - offset_); }

   private:
    int64_t offset_;
    Tensor buffer_;
    const std::byte* x_;
  };

  // Calls f(unit) for each unit of work, at least `least` of them per thread.
  template <class F> static void each_unit(int64_t units, int64_t least, F f) {
    parallel_for(units, std::max<int64_t>(1, least), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f(i);
    });
  }

  // One result after the other. A block of many short ones is one unit of work; long ones have several chunks.
  void run_rows() {
    const int64_t outputs = kept_.numel();
    const int64_t chunk = n_ >= far_run ? long_chunk : usual_chunk, chunks = whole_ ? 1 : (n_ + chunk - 1) / chunk;
    if (chunks == 1) {
      const int64_t block = std::clamp<int64_t>(chunk / n_, whole_ ? rows_in_order : 1, accumulators_block);
      each_unit((outputs + block - 1) / block, grain / (n_ * block), [&](int64_t unit) {
        alignas(64) std::byte memory[field_bytes * max_accumulator_fields * accumulators_block];
        const int64_t begin = unit * block, end = std::min(outputs, begin + block);
        const Computed x(*this, Place(kept_, begin).in, (end - begin) * n_);
        for (int64_t i = begin; i < end;) i += rows_block(x, i, end, memory);
      });
      return;
    }
    const int64_t bytes = field_bytes * folder_.fields();
    std::vector<std::byte> partial(static_cast<size_t>(outputs * chunks * bytes));
    each_unit(outputs * chunks, grain / chunk, [&](int64_t unit) {
      const Accumulators acc{partial.data() + unit * bytes, 1};
      const int64_t first = unit % chunks * chunk, end = std::min(n_, first + chunk), result = Place(kept_, unit / chunks).in;
      folder_.start(acc, 1);
      if (source_ == nullptr) return fold(x_ + result, first, end, acc);
      const int64_t offset = result + first * width_;
      folder_.rows(Computed(*this, offset, end - first).at(offset), end - first, 1, 0, first, acc);
    });
    for (int64_t i = 0; i < outputs; ++i) {
      std::byte* parts = partial.data() + i * chunks * bytes;
      merge(parts, chunks, bytes, 1, 1);
      folder_.finish({parts, 1}, 1, out_at(Place(kept_, i)));
    }
  }

  // Computes results from `begin` up to `end`, as many as are along one axis; returns their number.
  int64_t rows_block(const Computed& computed, int64_t begin, int64_t end, std::byte* memory) const {
    const Place place(kept_, begin);
    const Axis& along = kept_.count > 0 ? kept_.list[kept_.count - 1] : one;
    const int64_t m = std::min(end - begin, along.size - begin % along.size);
    const Accumulators acc{memory, accumulators_block};
    folder_.start(acc, m);
    const std::byte* x = computed.at(place.in);
    if (reduced_.count == 0 || (reduced_.count == 1 && reduced_.list[0].in == width_)) {
      folder_.rows(x, n_, m, along.in, 0, acc);
    } else {
      for (int64_t i = 0; i < m; ++i) fold(x + i * along.in, 0, n_, acc.from(i));
    }
    folder_.finish(acc, m, out_at(place, along));
    return m;
  }

  void merge(std::byte* parts, int64_t count, int64_t bytes, int64_t capacity, int64_t m) const {
    for (int64_t step = 1; step < count; step *= 2) {
      for (int64_t i = 0; i + step < count; i += 2 * step) {
        folder_.merge({parts + i * bytes, capacity}, {parts + (i + step) * bytes, capacity}, m);
      }
    }
  }

  // Computes adjacent results together, row after row.
  void run_columns(int c) {
    const Axis column = kept_.list[c];
    kept_.erase(c);
    const int64_t width = std::min(accumulators_block, column.size), blocks = (column.size + width - 1) / width;
    const int64_t rows = std::max<int64_t>(32, column_work / width), chunks = whole_ ? 1 : (n_ + rows - 1) / rows;
    const int64_t tasks = kept_.numel() * blocks;
    const auto columns_of = [&](int64_t task) { return std::min(width, column.size - task % blocks * width); };
    const auto finish = [&](int64_t task, const Accumulators& acc) {
      Place place(kept_, task / blocks);
      for (int r = 0; r < kept_.results; ++r) place.out[r] += task % blocks * width * column.out[r];
      folder_.finish(acc, columns_of(task), out_at(place, column));
    };
    const auto fold_part = [&](int64_t task, int64_t begin, int64_t end, const Accumulators& acc) {
      const int64_t m = columns_of(task);
      folder_.start(acc, m);
      fold_columns(x_ + Place(kept_, task / blocks).in + task % blocks * width * width_, begin, end, m, acc);
    };
    if (chunks == 1) {
      each_unit(tasks, grain / (width * n_), [&](int64_t task) {
        alignas(64) std::byte memory[field_bytes * max_accumulator_fields * accumulators_block];
        const Accumulators acc{memory, accumulators_block};
        fold_part(task, 0, n_, acc);
        finish(task, acc);
      });
      return;
    }
    const int64_t bytes = field_bytes * folder_.fields() * width;
    std::vector<std::byte> partial(static_cast<size_t>(tasks * chunks * bytes));
    each_unit(tasks * chunks, grain / (rows * width), [&](int64_t unit) {
      const int64_t task = unit % tasks, part = unit / tasks, first = part * rows;  // all columns of some rows are adjacent
      fold_part(task, first, std::min(n_, first + rows), {partial.data() + (task * chunks + part) * bytes, width});
    });
    for (int64_t task = 0; task < tasks; ++task) {
      std::byte* parts = partial.data() + task * chunks * bytes;
      merge(parts, chunks, bytes, width, columns_of(task));
      finish(task, {parts, width});
    }
  }

  void fold_columns(const std::byte* x, int64_t begin, int64_t end, int64_t m, const Accumulators& acc) const {
    if (reduced_.count == 0) {
      folder_.columns(x, 1, m, 0, 0, acc);
      return;
    }
    const Axis& inner = reduced_.list[reduced_.count - 1];
    for (int64_t at = begin; at < end;) {
      const int64_t run = std::min(inner.size - at % inner.size, end - at);
      folder_.columns(x + Place(reduced_, at).in, run, m, inner.in, at, acc);
      at += run;
    }
  }

  const Folder& folder_;
  const ElementSource* source_;  // of the elements; null: they are at x_
  int64_t width_, n_;
  const std::byte* x_;
  bool whole_;  // the elements of a result are not divided
  Destination out_;
  Axes kept_, reduced_;
};

[[gnu::noinline]] void reduce_any(const ReducePlan& plan, const Folder& folder) { Reduction(plan, folder).run(); }

}  // namespace

void run_reduce(const ReducePlan& plan, const ReduceKernels& kernels) {
  const Tensor& x = plan.x;
  const int64_t n = plan.args.count;
  const Folder folder(kernels.variants[plan.variant], plan.args, x.dtype());
  if (plan.dim < 0 && n > 0 && n <= usual_chunk && x.is_contiguous()) {
    // A small tensor at once: the general code would cost several times the arithmetic.
    alignas(field_bytes) std::byte memory[field_bytes * max_accumulator_fields];
    const Accumulators acc{memory, 1};
    folder.start(acc, 1);
    folder.rows(x.bytes(), n, 1, 0, 0, acc);
    Destination to;
    for (int r = 0; r < plan.result_count; ++r) to.results[r] = {plan.results[r].dtype(), plan.results[r].bytes(), 0};
    folder.finish(acc, 1, to);
    return;
  }
  reduce_any(plan, folder);
}

bool run_reduce_from(const ElementSource& source, const ReducePlan& plan, const ReduceKernels& kernels) {
  if (plan.dim >= 0 && plan.dim != plan.x.dim() - 1) return false;
  const Folder folder(kernels.variants[plan.variant], plan.args, plan.x.dtype());
  Reduction reduction(plan, folder, &source);
  if (!reduction.reads_in_order()) return false;
  reduction.run();
  return true;
}

}  // namespace mt::cpu
