// Matrix products. Those of floats are the vendor's (cuda/vendor/blas.h), one launch where the operands lie as it needs them: one stride of
// 1. Others are copied first; batches that no single step leads through go by addresses that a kernel computes. Integers, which wrap, have
// a kernel here: tiles of 32 by 32 in shared memory, each thread with 4 sums.
#include <optional>
#include <utility>

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/scratch.h"
#include "cuda/value.h"
#include "cuda/vendor/blas.h"
#include "engine/ops/matmul.h"

namespace mt::cuda {
namespace {

using Batch = Layout<3, int64_t>;  // of a product's matrices; strides in bytes
enum Role : uint8_t { role_out, role_a, role_b };

// A product as the kernels see it: the matrices' addresses are tensors'.
struct Task {
  Stream stream;
  DType dtype;
  Batch batch;
  int64_t count;
  Matrices matrices[3];  // by role
  const std::byte* bias;

  explicit Task(const ProductPlan& plan)
      : stream(op_stream()),
        dtype(plan.dtype),
        batch(plan.batches != nullptr ? *plan.batches : Geometry(Shape{plan.batch})),
        count(plan.batches != nullptr ? plan.batches->numel() : plan.batch),
        matrices{plan.out, plan.a, plan.b},
        bias(plan.bias) {
    for (int role = 0; role < 3; ++role) {
      Matrices& m = matrices[role];
      if (plan.batches != nullptr)
        m.data = plan.batches->data(role);
      else
        batch.strides[role][0] = m.step * size_of(dtype);
    }
    if (count == 1) batch.dims = 0;
  }
};

template <class T> MT_DEVICE T& element(std::byte* data, const Matrices& m, int64_t row, int64_t col) {
  return reinterpret_cast<T*>(data)[row * m.row_stride + col * m.col_stride];
}

template <class T> T* reachable_data(const Matrices& m) { return reachable<T>(m.data); }

// What out starts as: its rows `bias`, or beta times what it is.
template <class T> struct StartKernel {
  Batch batch;
  Matrices out;
  std::byte* data;
  const T* bias;
  Compute<T> beta;
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const int64_t in_matrix = i % (out.rows * out.cols), row = in_matrix / out.cols, col = in_matrix % out.cols;
      int64_t offsets[3];
      batch.find(i / (out.rows * out.cols), offsets);
      T& to = element<T>(data + offsets[role_out], out, row, col);
      to = bias != nullptr ? bias[col] : beta == 0 ? narrow<T>(Compute<T>(0)) : narrow<T>(beta * widen(to));
    }
  }
};

template <class T> void start(const Task& task, double beta) {
  const Matrices& out = task.matrices[role_out];
  const int64_t n = task.count * out.rows * out.cols;
  launch_each(task.stream, n,
              StartKernel<T>{task.batch, out, reachable(out.data), driver::reachable(reinterpret_cast<const T*>(task.bias)),
                             static_cast<Compute<T>>(beta), n});
}

// Matrices of any strides to column-major ones without gaps, or back.
template <class Bits> struct PackKernel {
  Batch batch;
  Role role;
  Matrices strided;
  std::byte* data;
  Bits* packed;
  bool back;
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const int64_t in_matrix = i % (strided.rows * strided.cols), row = in_matrix % strided.rows, col = in_matrix / strided.rows;
      int64_t offsets[3];
      batch.find(i / (strided.rows * strided.cols), offsets);
      Bits& other = element<Bits>(data + offsets[role], strided, row, col);
      if (back)
        other = packed[i];
      else
        packed[i] = other;
    }
  }
};

void move_packed(const Task& task, Role role, void* packed, bool back) {
  const Matrices& m = task.matrices[role];
  const int64_t n = task.count * m.rows * m.cols;
  by_width(task.dtype, [&]<class Bits>(Bits) {
    launch_each(task.stream, n, PackKernel<Bits>{task.batch, role, m, reachable(m.data), static_cast<Bits*>(packed), back, n});
  });
}

// One column after the other, as vendors' libraries want it.
bool is_by_columns(const Matrices& m) {
  return (m.row_stride == 1 || m.rows == 1) && (m.cols == 1 || m.col_stride >= std::max<int64_t>(m.rows, 1));
}
int64_t leading(const Matrices& m) { return m.cols == 1 ? m.rows : m.col_stride; }

blas::Operand operand(const Matrices& m, int64_t step) {
  if (is_by_columns(m)) return {m.data, false, leading(m), step};
  return {m.data, true, leading(m.transposed()), step};
}

// Copies of matrices that libraries can't take, for a call.
class Packed {
 public:
  Packed(Task& task, Role role, bool read) : task_(task), strided_(task), role_(role) {
    Matrices& m = task.matrices[role];
    if (is_by_columns(m) || (role != role_out && is_by_columns(m.transposed()))) return;
    const int64_t bytes = m.rows * m.cols * size_of(task.dtype);
    memory_.emplace(task.stream, task.count * bytes);
    if (read) move_packed(task, role, memory_->data(), false);
    m = {static_cast<std::byte*>(memory_->address()), m.rows, m.cols, 1, m.rows, m.rows * m.cols};
    int64_t step = bytes;
    for (int d = 0; d < task.batch.dims; ++d) {
      task.batch.strides[role][d] = step;
      step *= task.batch.sizes[d].value;
    }
  }
  void bring_back() const {
    if (memory_) move_packed(strided_, role_, memory_->data(), true);
  }

 private:
  Task& task_;
  const Task strided_;
  const Role role_;
  std::optional<Scratch<std::byte>> memory_;
};

struct AddressKernel {
  Batch batch;
  std::byte* data[3];
  void** addresses[3];
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      int64_t offsets[3];
      batch.find(i, offsets);
      for (int role = 0; role < 3; ++role) addresses[role][i] = data[role] + offsets[role];
    }
  }
};

void multiply_by_addresses(const Task& task, const blas::Product& product) {
  const Scratch<void*> memory(task.stream, 3 * task.count);
  AddressKernel kernel{task.batch, {}, {}, task.count};
  for (int role = 0; role < 3; ++role) {
    kernel.data[role] = reachable(task.matrices[role].data);
    kernel.addresses[role] = memory.data() + role * task.count;
  }
  launch_each(task.stream, task.count, kernel);
  blas::multiply_each(task.stream, product, {kernel.addresses[role_a], kernel.addresses[role_b], kernel.addresses[role_out]});
}

// out' = b' a' in place of out = a b: a row-major result is a column-major one's transpose.
void transpose(Task& task) {
  for (Matrices& m : task.matrices) m = m.transposed();
  std::swap(task.matrices[role_a], task.matrices[role_b]);
  for (int d = 0; d < task.batch.dims; ++d) std::swap(task.batch.strides[role_a][d], task.batch.strides[role_b][d]);
}

blas::Product product_of(const Task& task, double alpha, double beta) {
  const Matrices &out = task.matrices[role_out], &a = task.matrices[role_a], &b = task.matrices[role_b];
  const auto step = [&](Role role) { return task.batch.dims == 0 ? 0 : task.batch.strides[role][0] / size_of(task.dtype); };
  return {.dtype = task.dtype,
          .m = out.rows,
          .n = out.cols,
          .k = a.cols,
          .batch = task.count,
          .alpha = alpha,
          .beta = beta,
          .a = operand(a, step(role_a)),
          .b = operand(b, step(role_b)),
          .c = out.data,
          .ldc = leading(out),
          .c_step = step(role_out)};
}

// In one launch; false where that can't be.
bool multiply_onto_bias(Task task, double alpha) {
  if (task.batch.dims > 0 || !is_by_columns(task.matrices[role_out].transposed())) return false;
  transpose(task);
  const Packed a(task, role_a, true), b(task, role_b, true);
  return blas::multiply_with_bias(task.stream, product_of(task, alpha, 0), task.bias);
}

void multiply_onto_out(Task task, double alpha, double beta) {
  const Matrices& out = task.matrices[role_out];
  if (!is_by_columns(out) && is_by_columns(out.transposed())) transpose(task);
  const Packed a(task, role_a, true), b(task, role_b, true), result(task, role_out, beta != 0);
  const blas::Product product = product_of(task, alpha, beta);
  if (task.batch.dims > 1)
    multiply_by_addresses(task, product);
  else
    blas::multiply(task.stream, product);
  result.bring_back();
}

template <class T> void multiply_floats(const Task& task, double alpha, double beta) {
  if (alpha == 0 || task.matrices[role_a].cols == 0) return start<T>(task, beta);
  if (task.bias != nullptr) {
    if (multiply_onto_bias(task, alpha)) return;
    start<T>(task, beta);
  }
  multiply_onto_out(task, alpha, beta);
}

// Sums modulo 2^32 or 2^64, of which the dtype keeps what it has room for.
template <class T> struct IntegerKernel {
  using Sum = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static constexpr int tile = 32, each = tile * tile / block_threads, padded = tile + 1;
  static constexpr size_t shared_bytes = 2 * tile * padded * sizeof(Sum);
  Batch batch;
  Matrices out, a, b;  // at reachable addresses
  Sum alpha, beta;
  const T* bias;
  int64_t row_tiles, col_tiles, tiles;
  bool a_by_rows, b_by_rows, out_by_rows;  // neighbours in memory are in a row: neighbouring threads take them

  MT_DEVICE static void place(bool by_rows, int i, int& row, int& col) {
    row = by_rows ? i / tile : i % tile;
    col = by_rows ? i % tile : i / tile;
  }
  MT_DEVICE static void fill(Thread& t, Shared<Sum> to, const Matrices& m, std::byte* data, int64_t first_row, int64_t first_col,
                             bool by_rows) {
    for (int k = 0; k < each; ++k) {
      int row, col;
      place(by_rows, t.index() + k * block_threads, row, col);
      const bool inside = first_row + row < m.rows && first_col + col < m.cols;
      to.set(row * padded + col, inside ? static_cast<Sum>(element<T>(data, m, first_row + row, first_col + col)) : Sum(0));
    }
  }
  MT_DEVICE void multiply_tile(Thread& t, int64_t number, Shared<Sum> left, Shared<Sum> right) const {
    const int64_t in_matrix = number % (row_tiles * col_tiles), first_row = in_matrix / col_tiles * tile,
                  first_col = in_matrix % col_tiles * tile;
    int64_t offsets[3];
    batch.find(number / (row_tiles * col_tiles), offsets);
    Sum sums[each] = {};
    for (int64_t k = 0; alpha != 0 && k < a.cols; k += tile) {
      fill(t, left, a, a.data + offsets[role_a], first_row, k, a_by_rows);
      fill(t, right, b, b.data + offsets[role_b], k, first_col, b_by_rows);
      t.barrier();
      for (int e = 0; e < each; ++e) {
        int row, col;
        place(out_by_rows, t.index() + e * block_threads, row, col);
        for (int l = 0; l < tile; ++l) sums[e] += left.get(row * padded + l) * right.get(l * padded + col);
      }
      t.barrier();
    }
    for (int e = 0; e < each; ++e) {
      int row, col;
      place(out_by_rows, t.index() + e * block_threads, row, col);
      if (first_row + row >= out.rows || first_col + col >= out.cols) continue;
      T& to = element<T>(out.data + offsets[role_out], out, first_row + row, first_col + col);
      Sum value = alpha * sums[e];
      if (beta != 0) value += beta * static_cast<Sum>(bias != nullptr ? bias[first_col + col] : to);
      to = static_cast<T>(value);
    }
  }
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<Sum> left = t.shared<Sum>(tile * padded), right = t.shared<Sum>(tile * padded);
    for (int64_t number = t.block(); number < tiles; number += t.blocks()) multiply_tile(t, number, left, right);
  }
};

template <class T> T integer_factor(const mt::Value& value) {
  return value.type == mt::Value::Type::integer ? static_cast<T>(value.integer) : element_from<T>(value.number);
}

template <class T> void multiply_integers(const Task& task, const ProductPlan& plan) {
  using K = IntegerKernel<T>;
  const auto seen = [](Matrices m) {
    m.data = reachable(m.data);
    return m;
  };
  const auto by_rows = [](const Matrices& m) { return m.row_stride != 1; };
  const auto tiles = [](int64_t n) { return (n + K::tile - 1) / K::tile; };
  K kernel{.batch = task.batch,
           .out = seen(task.matrices[role_out]),
           .a = seen(task.matrices[role_a]),
           .b = seen(task.matrices[role_b]),
           .alpha = static_cast<typename K::Sum>(integer_factor<T>(plan.alpha)),
           .beta = static_cast<typename K::Sum>(integer_factor<T>(plan.beta)),
           .bias = driver::reachable(reinterpret_cast<const T*>(plan.bias)),
           .row_tiles = tiles(plan.out.rows),
           .col_tiles = tiles(plan.out.cols),
           .tiles = tiles(plan.out.rows) * tiles(plan.out.cols) * task.count,
           .a_by_rows = by_rows(plan.a),
           .b_by_rows = by_rows(plan.b),
           .out_by_rows = by_rows(plan.out)};
  launch(task.stream, std::min(kernel.tiles, most_blocks), block_threads, K::shared_bytes, kernel);
}

void run_product(const ProductPlan& plan) {
  const Task task(plan);
  dispatch(plan.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_16bit_float<T> || std::is_floating_point_v<T>)
      multiply_floats<T>(task, plan.alpha.as_double(), plan.beta.as_double());
    else if constexpr (!std::is_same_v<T, bool>)
      multiply_integers<T>(task, plan);
  });
}

template <class T> using DotSum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

struct Sum {
  template <class S> MT_DEVICE S operator()(S a, S b) const { return a + b; }
};

// Each block the sum of its share.
template <class T> struct DotKernel {
  const T *x, *y;
  int64_t x_stride, y_stride, n;
  DotSum<T>* sums;
  MT_DEVICE void operator()(Thread& t) const {
    DotSum<T> sum = 0;
    for (int64_t i = t.global_index(); i < n; i += t.global_threads())
      sum += static_cast<DotSum<T>>(widen(x[i * x_stride])) * static_cast<DotSum<T>>(widen(y[i * y_stride]));
    sum = block_reduce(t, sum, DotSum<T>(0), Sum(), t.shared<DotSum<T>>(warp_size));
    if (t.index() == 0) sums[t.block()] = sum;
  }
};

template <class T> struct DotEndKernel {
  const DotSum<T>* sums;
  int64_t n;
  T* out;
  MT_DEVICE void operator()(Thread& t) const {
    DotSum<T> sum = 0;
    for (int64_t i = t.index(); i < n; i += t.threads()) sum += sums[i];
    sum = block_reduce(t, sum, DotSum<T>(0), Sum(), t.shared<DotSum<T>>(warp_size));
    if (t.index() == 0) *out = narrow<T>(sum);
  }
};

void run_dot(const DotPlan& plan) {
  const Stream stream = op_stream();
  const int64_t n = plan.x.numel(), share = 16 * block_threads, blocks = std::clamp<int64_t>((n + share - 1) / share, 1, 1024);
  const auto stride = [](const Tensor& t) { return t.dim() == 1 ? t.stride(0) : 1; };
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>) {
      constexpr size_t shared_bytes = warp_size * sizeof(DotSum<T>);
      const Scratch<DotSum<T>> sums(stream, blocks);
      launch(stream, blocks, block_threads, shared_bytes,
             DotKernel<T>{elements<T>(plan.x), elements<T>(plan.y), stride(plan.x), stride(plan.y), n, sums.data()});
      launch(stream, 1, block_threads, shared_bytes, DotEndKernel<T>{sums.data(), blocks, elements<T>(plan.out)});
    }
  });
}

}  // namespace

KernelRows matmul_rows() {
  static constexpr KernelRow rows[] = {{"dot", kernel<&run_dot>()},
                                       {"mv", kernel<&run_product>()},
                                       {"mm", kernel<&run_product>()},
                                       {"bmm", kernel<&run_product>()},
                                       {"ger", kernel<&run_product>()},
                                       {"addmv", kernel<&run_product>()},
                                       {"addmm", kernel<&run_product>()},
                                       {"addr", kernel<&run_product>()},
                                       {"baddbmm", kernel<&run_product>()},
                                       {"addbmm", kernel<&run_product>()},
                                       {"matmul", kernel<&run_product>()},
                                       {"linear", kernel<&run_product>()},
                                       {"linear_weight_grad", kernel<&run_product>()}};
  return rows;
}

}  // namespace mt::cuda
