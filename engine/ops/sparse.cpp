#include "engine/ops/sparse.h"

#include <optional>

#include "engine/ops/index.h"
#include "engine/ops/widened_dtype.h"

namespace mt {
namespace {

// The operands of a CsrOperand; a plan does not keep them alive.
struct CheckedCsr {
  Tensor rows, columns, values;
  int64_t count() const { return rows.numel() - 1; }
  operator CsrOperand() const { return {rows, columns, values}; }  // NOLINT: implicit
};

Tensor checked_longs(const Call& call, int arg) {
  const Tensor& given = call.tensor(arg);
  if (given.dim() != 1) call.fail_at<Status::shape>(arg, given.sizes(), ", expected a vector");
  if (given.dtype() != DType::int64) call.fail_at<Status::dtype>(arg, given.dtype(), ", expected torch.LongTensor");
  return contiguous(given);
}

Tensor checked_rows(const Call& call, int arg) {
  const Tensor rows = checked_longs(call, arg);
  if (rows.numel() == 0) call.fail_at<Status::shape>(arg, rows.sizes(), ", expected a position for each row and one more");
  return rows;
}

// The places of a matrix with `width` columns: arguments arg (rows) and the next one (columns). Without width, the kernel checks columns.
CheckedCsr checked_places(const Call& call, int arg, std::optional<int64_t> width) {
  const Tensor rows = checked_rows(call, arg), columns = checked_longs(call, arg + 1);
  return {rows, width ? checked_index(call, arg + 1, *width) : columns, Tensor()};
}

// The same with its values, argument arg + 2, in `dtype`.
CheckedCsr checked_matrix(const Call& call, int arg, std::optional<int64_t> width, DType dtype) {
  CheckedCsr csr = checked_places(call, arg, width);
  const Tensor& values = call.tensor(arg + 2);
  if (values.dim() != 1 || values.numel() != csr.columns.numel())
    call.fail_at<Status::shape>(arg + 2, values.sizes(), ", expected [", csr.columns.numel(), "], an element for each column");
  csr.values = contiguous(to_dtype(values, dtype));
  return csr;
}

int64_t checked_width(const Call& call, int arg) {
  const int64_t width = call.integer(arg);
  constexpr int64_t most = int64_t{1} << 53;  // as of the sizes of sparse tensors
  if (width < 0 || width > most) call.fail_at<Status::range>(arg, width, ", expected 0 to ", most);
  return width;
}

DType common_float(const Call& call, int a, int b) { return float_for(promote(call.tensor(a).dtype(), call.tensor(b).dtype())); }

}  // namespace

void plan_csr_matmul(Call& call) {
  const Tensor& given = call.tensor(3);
  if (given.dim() != 1 && given.dim() != 2) call.fail_at<Status::shape>(3, given.sizes(), ", expected a vector or matrix");
  const DType dtype = common_float(call, 2, 3);
  const bool is_new = !call.is_given(0);
  const CheckedCsr csr = checked_matrix(call, 0, is_new ? std::nullopt : std::optional(given.size(0)), dtype);
  const Tensor x = contiguous(to_dtype(given, dtype));
  const bool is_vector = x.dim() == 1;
  CsrMatmulPlan plan{csr, x, {}, is_vector ? 1 : x.size(1), is_new};
  call.launch(plan);
  const Tensor out = call.output(0, dtype, is_vector ? Shape{csr.count()} : Shape{csr.count(), plan.width}, {.dense = true});
  plan.out = out;
  if (out.numel() > 0 || is_new) call.launch(plan);
  call.finish(0, out);
}

void plan_csr_sampled(Call& call) {
  for (int i = 2; i < 4; ++i) {
    if (call.tensor(i).dim() != 2) call.fail_at<Status::shape>(i, call.tensor(i).sizes(), ", expected a matrix");
  }
  const DType dtype = common_float(call, 2, 3);
  const Tensor a = contiguous(to_dtype(call.tensor(2), dtype)), b = contiguous(to_dtype(call.tensor(3), dtype));
  const CheckedCsr csr = checked_places(call, 0, b.size(0));
  if (a.size(0) != csr.count()) call.fail_at<Status::shape>(2, a.sizes(), ", expected ", csr.count(), " rows");
  if (b.size(1) != a.size(1)) call.fail_at<Status::shape>(3, b.sizes(), ", expected rows of ", a.size(1), " elements");
  CsrSampledPlan plan{csr, a, b, {}, a.size(1)};
  call.launch(plan);
  const Tensor out = call.output(0, dtype, Shape{csr.columns.numel()}, {.dense = true});
  plan.out = out;
  if (out.numel() > 0) call.launch(plan);
  call.finish(0, out);
}

namespace {

// The number of rows of a product that must be a multiple of `each`, argument arg.
int64_t checked_height(const Call& call, int arg, int64_t each) {
  const int64_t height = checked_width(call, arg);
  if (height % each != 0) call.fail_at<Status::shape>(arg, height, ", expected a multiple of ", each, ", the columns of a block");
  return height;
}

// Blocks, argument 2, in `dtype`.
Tensor checked_blocks(const Call& call, DType dtype) {
  const Tensor& blocks = call.tensor(2);
  if (blocks.dim() != 3 || blocks.size(1) == 0 || blocks.size(2) == 0)
    call.fail_at<Status::shape>(2, blocks.sizes(), ", expected [blocks, rows, columns]");
  if (blocks.size(0) != call.tensor(1).numel())
    call.fail_at<Status::shape>(2, blocks.sizes(), ", expected ", call.tensor(1).numel(), " blocks, one for each column");
  return contiguous(to_dtype(blocks, dtype));
}

DType inner_dtype(DType dtype) { return kind_of(dtype) == NumberKind::complex ? dtype : widened_dtype(dtype); }

// `count` blocks of `size` elements along a dimension, of which there are at most 2^53.
int64_t checked_extent(const Call& call, int arg, int64_t count, int64_t size) {
  constexpr int64_t most = int64_t{1} << 53;
  if (count > 0 && size > most / count)
    call.fail_at<Status::range>(arg, count, " blocks of ", size, ", expected at most ", most, " elements");
  return count * size;
}

// Plans the product of a matrix in blocks, or of its transpose, with x, argument 3; in compressed rows blocks are single elements.
void plan_block_product(Call& call, bool in_blocks, bool transposed) {
  const Tensor& given = call.tensor(3);
  if (given.dim() != 1 && given.dim() != 2) call.fail_at<Status::shape>(3, given.sizes(), ", expected a vector or matrix");
  const DType dtype = common_float(call, 2, 3), inner = inner_dtype(dtype);
  Tensor values;
  BlockSizes block;
  if (in_blocks) {
    values = checked_blocks(call, inner);
    block = {values.size(1), values.size(2)};
  }
  int64_t height = given.size(0);  // of the matrix if it is not transposed
  if (transposed)
    height = checked_height(call, 4, block.columns);
  else if (height % block.columns != 0)
    call.fail_at<Status::shape>(3, given.sizes(), ", expected a multiple of ", block.columns, " rows, the columns of a block");
  const bool is_new = !call.is_given(0);
  std::optional<int64_t> width;  // none: the kernel checks columns
  if (!is_new) width.emplace(height / block.columns);
  CheckedCsr csr = in_blocks ? checked_places(call, 0, width) : checked_matrix(call, 0, width, inner);
  if (in_blocks) csr.values = values;
  const int64_t rows = checked_extent(call, 0, csr.count(), block.rows);
  if (transposed && given.size(0) != rows) call.fail_at<Status::shape>(3, given.sizes(), ", expected ", rows, " rows");
  const Tensor x = contiguous(to_dtype(given, inner));
  const bool is_vector = x.dim() == 1;
  BsrMatmulPlan plan{csr, block, x, {}, is_vector ? 1 : x.size(1), is_new};
  call.launch(plan);
  const int64_t out_rows = transposed ? height : rows;
  const Tensor out =
      call.output(0, dtype, is_vector ? Shape{out_rows} : Shape{out_rows, plan.width}, {.dense = true, .computed_in = inner});
  plan.out = out;
  if (out.numel() > 0 || is_new) call.launch(plan);
  call.finish(0, out);
}

}  // namespace

void plan_csr_transposed_matmul(Call& call) { plan_block_product(call, false, true); }
void plan_bsr_matmul(Call& call) { plan_block_product(call, true, false); }
void plan_bsr_transposed_matmul(Call& call) { plan_block_product(call, true, true); }

void plan_bsr_sampled(Call& call) {
  for (int i = 2; i < 4; ++i) {
    if (call.tensor(i).dim() != 2) call.fail_at<Status::shape>(i, call.tensor(i).sizes(), ", expected a matrix");
  }
  const DType dtype = common_float(call, 2, 3), inner = inner_dtype(dtype);
  const BlockSizes block{call.integer(4), call.integer(5)};
  if (block.rows < 1) call.fail_at<Status::range>(4, block.rows, ", expected 1 or more");
  if (block.columns < 1) call.fail_at<Status::range>(5, block.columns, ", expected 1 or more");
  const Tensor a = contiguous(to_dtype(call.tensor(2), inner)), b = contiguous(to_dtype(call.tensor(3), inner));
  if (b.size(0) % block.columns != 0)
    call.fail_at<Status::shape>(3, b.sizes(), ", expected a multiple of ", block.columns, " rows, the columns of a block");
  const CheckedCsr csr = checked_places(call, 0, b.size(0) / block.columns);
  const int64_t rows = checked_extent(call, 0, csr.count(), block.rows);
  if (a.size(0) != rows) call.fail_at<Status::shape>(2, a.sizes(), ", expected ", rows, " rows");
  if (b.size(1) != a.size(1)) call.fail_at<Status::shape>(3, b.sizes(), ", expected rows of ", a.size(1), " elements");
  BsrSampledPlan plan{csr, block, a, b, {}, a.size(1)};
  call.launch(plan);
  const Shape sizes{csr.columns.numel(), block.rows, block.columns};
  const Tensor out = call.output(0, dtype, sizes, {.dense = true, .computed_in = inner});
  plan.out = out;
  if (out.numel() > 0) call.launch(plan);
  call.finish(0, out);
}

void plan_dia_matmul(Call& call) {
  const Tensor &data = call.tensor(0), &given = call.tensor(2);
  if (data.dim() != 2) call.fail_at<Status::shape>(0, data.sizes(), ", expected a matrix");
  if (given.dim() != 1 && given.dim() != 2) call.fail_at<Status::shape>(2, given.sizes(), ", expected a vector or matrix");
  const Tensor offsets = checked_longs(call, 1);
  if (data.size(0) != offsets.numel())
    call.fail_at<Status::shape>(0, data.sizes(), ", expected ", offsets.numel(), " rows, one for each offset");
  const DType dtype = common_float(call, 0, 2), inner = inner_dtype(dtype);
  const int64_t count = checked_width(call, 3);
  const Tensor values = contiguous(to_dtype(data, inner)), x = contiguous(to_dtype(given, inner));
  const bool is_vector = x.dim() == 1;
  const int64_t width = is_vector ? 1 : x.size(1);
  const Tensor out = call.output(0, dtype, is_vector ? Shape{count} : Shape{count, width}, {.dense = true, .computed_in = inner});
  if (out.numel() > 0) call.launch<DiaMatmulPlan>(values, offsets, x, out, width, call.boolean(4));
  call.finish(0, out);
}

void plan_dia_sampled(Call& call) {
  for (int i = 1; i < 3; ++i) {
    if (call.tensor(i).dim() != 2) call.fail_at<Status::shape>(i, call.tensor(i).sizes(), ", expected a matrix");
  }
  const Tensor offsets = checked_longs(call, 0);
  const DType dtype = common_float(call, 1, 2), inner = inner_dtype(dtype);
  const Tensor a = contiguous(to_dtype(call.tensor(1), inner)), b = contiguous(to_dtype(call.tensor(2), inner));
  if (b.size(1) != a.size(1)) call.fail_at<Status::shape>(2, b.sizes(), ", expected rows of ", a.size(1), " elements");
  const int64_t width = checked_width(call, 3);
  const Tensor out = call.output(0, dtype, Shape{offsets.numel(), width}, {.dense = true, .computed_in = inner});
  if (out.numel() > 0) call.launch<DiaSampledPlan>(offsets, a, b, out, a.size(1));
  call.finish(0, out);
}

void plan_csr_expand(Call& call) {
  const Tensor rows = checked_rows(call, 0);
  const int64_t count = call.integer(1);
  if (count < 0) call.fail_at<Status::range>(1, count, ", expected a number of entries");
  CsrExpandPlan plan{rows, {}, count};
  call.launch(plan);
  const Tensor out = call.output(0, DType::int64, Shape{count}, {.dense = true});
  plan.out = out;
  if (count > 0) call.launch(plan);
  call.finish(0, out);
}

void plan_bucket_sort(Call& call) {
  const int64_t count = checked_width(call, 1);
  checked_longs(call, 0);
  const Tensor index = checked_index(call, 0, count);
  const Tensor first = call.output(0, DType::int64, Shape{count + 1}, {.dense = true});
  const Tensor order = call.output(1, DType::int64, Shape{index.numel()}, {.dense = true});
  call.launch<BucketSortPlan>(index, first, order);
  call.finish(0, first);
  call.finish(1, order);
}

void plan_csr_product(Call& call) {
  const DType dtype = common_float(call, 2, 5);
  const int64_t width = checked_width(call, 6);
  const CheckedCsr b = checked_matrix(call, 3, width, dtype), a = checked_matrix(call, 0, b.count(), dtype);
  const Tensor rows = call.empty(DType::int64, Shape{a.count() + 1});
  CsrProductPlan plan{a, b, width, rows};
  call.launch(plan);
  const int64_t count = plan.count;
  const Tensor first = call.output(0, DType::int64, rows.sizes(), {.dense = true});
  copy(first, rows);
  const Tensor columns = call.output(1, DType::int64, Shape{count}, {.dense = true});
  const Tensor values = call.output(2, dtype, Shape{count}, {.dense = true});
  plan.columns = columns;
  plan.values = values;
  if (count > 0) call.launch(plan);
  call.finish(0, first);
  call.finish(1, columns);
  call.finish(2, values);
}

void plan_csr_product_at(Call& call) {
  const DType dtype = common_float(call, 4, 7);
  const int64_t width = checked_width(call, 8);
  const CheckedCsr at = checked_places(call, 0, width), b = checked_matrix(call, 5, width, dtype);
  const CheckedCsr a = checked_matrix(call, 2, b.count(), dtype);
  if (a.count() != at.count()) call.fail_at<Status::shape>(2, a.rows.sizes(), ", expected ", at.rows.sizes(), " as in rows");
  CsrProductAtPlan plan{at, a, b, width};
  call.launch(plan);
  const Tensor out = call.output(0, dtype, Shape{at.columns.numel()}, {.dense = true});
  plan.out = out;
  if (out.numel() > 0) call.launch(plan);
  call.finish(0, out);
}

void plan_csr_solve_triangular(Call& call) {
  const Tensor& b = call.tensor(3);
  if (b.dim() != 1 && b.dim() != 2) call.fail_at<Status::shape>(3, b.sizes(), ", expected a vector or matrix");
  const DType dtype = common_float(call, 2, 3), inner = kind_of(dtype) == NumberKind::complex ? dtype : widened_dtype(dtype);
  const int64_t n = b.size(0);
  const CheckedCsr csr = checked_matrix(call, 0, n, inner);
  if (csr.count() != n) call.fail_at<Status::shape>(3, b.sizes(), ", expected ", csr.count(), " rows");
  CsrSolveTriangularPlan plan{csr, {}, b.dim() == 1 ? 1 : b.size(1), call.boolean(4), call.boolean(5), call.boolean(6)};
  call.launch(plan);
  const Tensor out = call.output(0, dtype, b.sizes(), {.dense = true, .computed_in = inner});
  copy(out, b);
  plan.out = out;
  if (out.numel() > 0) call.launch(plan);
  call.finish(0, out);
}

}  // namespace mt
