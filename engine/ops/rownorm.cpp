// Shapes, dtypes and results of normalisation along the last dimension.
#include "engine/ops/rownorm.h"

#include <algorithm>
#include <vector>

#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/rownorm-inl.h"

namespace {

const RowNormKernels& kernels(const Call& call) { return *static_cast<const RowNormKernels*>(call.op.kernel.data); }

struct Rows {
  int64_t count, length;
};

Rows rows_of(const Call& call, int arg) {
  const Tensor& x = call.tensor(arg);
  if (x.dim() == 0) call.fail_at(arg, x.sizes(), " came, one dimension or more was expected");
  const int64_t length = x.size(x.dim() - 1);
  if (length == 0) call.fail_at(arg, x.sizes(), " came, rows of one element or more were expected");
  return {x.numel() / length, length};
}

// An argument with one value for each element of a row, in the dtype that computes; null where it was left out.
Tensor along_row(const Call& call, int arg, DType dtype, int64_t length) {
  const Tensor t = dense_argument(call, arg, dtype);
  if (call.has(arg) && t.numel() != length) call.fail_at(arg, call.tensor(arg).sizes(), " came, [", length, "] was expected");
  return t;
}

const std::byte* bytes_or_null(const Tensor& t) { return t.storage() == nullptr ? nullptr : t.bytes(); }

std::vector<double> per_row(const Call& call, int arg, int64_t rows) {
  const Tensor t = dense_argument(call, arg, DType::float64);
  if (t.numel() != rows) call.fail_at(arg, call.tensor(arg).sizes(), " came, [", rows, "] was expected");
  return {t.data<double>(), t.data<double>() + rows};
}

void give_values(const Call& call, int result, DType dtype, const std::vector<double>& values) {
  const Tensor out = call.output(result, dtype, Shape{static_cast<int64_t>(values.size())});
  if (!values.empty()) {
    Tensor t = Tensor::empty(DType::float64, {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), t.data<double>());
    copy(out, t);
  }
  call.finish(result, out);
}

// bias: its argument, or -1 where there is none and the mean isn't taken out.
void run_forward(Call& call, int bias_arg, int eps_arg) {
  const bool centred = bias_arg > 0;
  const Tensor& x = call.tensor(0);
  const Rows rows = rows_of(call, 0);
  const DType inner = image_dtype(call, 0, x.dtype());
  const Tensor weight = along_row(call, 1, inner, rows.length), bias = centred ? along_row(call, bias_arg, inner, rows.length) : Tensor();
  std::vector<double> mean(centred ? static_cast<size_t>(rows.count) : 0), invstd(static_cast<size_t>(rows.count));
  const ImageResult y(call, 0, x.dtype(), inner, x.sizes());
  const Tensor dense = dense_argument(call, 0, inner);
  if (rows.count > 0)
    kernels(call).forward(inner, {rows.count, rows.length, dense.bytes(), bytes_or_null(weight), bytes_or_null(bias), y.bytes(),
                                  centred ? mean.data() : nullptr, invstd.data(), call.number(eps_arg)});
  y.done();
  if (centred) give_values(call, 1, inner, mean);
  give_values(call, centred ? 2 : 1, inner, invstd);
}

void run_backward(Call& call, bool centred) {
  const Tensor &g = call.tensor(0), &x = call.tensor(1);
  const Rows rows = rows_of(call, 1);
  if (!std::ranges::equal(g.sizes(), x.sizes())) call.fail_at(0, g.sizes(), " came, ", x.sizes(), " was expected");
  const DType inner = image_dtype(call, 1, x.dtype());
  const Tensor weight = along_row(call, 2, inner, rows.length);
  const std::vector<double> mean = centred ? per_row(call, 3, rows.count) : std::vector<double>(),
                            invstd = per_row(call, centred ? 4 : 3, rows.count);
  std::vector<double> weight_grad(static_cast<size_t>(rows.length)), bias_grad(weight_grad.size());
  const ImageResult x_grad(call, 0, x.dtype(), inner, x.sizes());
  const Tensor dense_g = dense_argument(call, 0, inner), dense_x = dense_argument(call, 1, inner);
  if (rows.count > 0)
    kernels(call).backward(inner, {rows.count, rows.length, dense_g.bytes(), dense_x.bytes(), bytes_or_null(weight),
                                   centred ? mean.data() : nullptr, invstd.data(), x_grad.bytes(), weight_grad.data(), bias_grad.data()});
  x_grad.done();
  const DType dtype = call.has(2) ? call.tensor(2).dtype() : inner;
  give_values(call, 1, dtype, weight_grad);
  if (centred) give_values(call, 2, dtype, bias_grad);
}

}  // namespace

void LayerNorm::plan(Call& call) { run_forward(call, 2, 3); }
void LayerNormGrad::plan(Call& call) { run_backward(call, true); }
void RmsNorm::plan(Call& call) { run_forward(call, -1, 2); }
void RmsNormGrad::plan(Call& call) { run_backward(call, false); }

}  // namespace mt
