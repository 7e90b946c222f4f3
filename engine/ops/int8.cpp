#include "engine/ops/int8.h"

#include <algorithm>
#include <array>

#include "engine/core/geometry.h"
#include "engine/ops/create.h"
#include "engine/ops/images.h"

namespace mt {
namespace {

constexpr int64_t most_columns = int64_t{1} << 24;

DType integer_dtype(const Tensor& x) { return x.dtype() == DType::uint8 ? DType::uint8 : DType::int8; }

// The integers of x are uint8 or int8, and its floats are float32.
DType input_dtype(const Tensor& x) { return is_float(x.dtype()) ? DType::float32 : integer_dtype(x); }

int64_t checked_columns(const Call& call, int arg) {
  const int64_t columns = call.integer(arg);
  if (columns < 0 || columns > most_columns) call.fail_at<Status::range>(arg, columns, ", expected 0 to ", most_columns);
  return columns;
}

// A zero point, which elements of the dtype can be.
int64_t checked_zero(const Call& call, int arg, DType dtype) {
  const int64_t zero = call.integer(arg), least = dtype == DType::int8 ? -128 : 0, most = dtype == DType::int8 ? 127 : 255;
  if (zero < least || zero > most) call.fail_at<Status::range>(arg, zero, ", expected ", least, " to ", most);
  return zero;
}

Tensor checked_packed(const Call& call, int arg, int64_t panels, int64_t depth) {
  const Tensor& packed = call.tensor(arg);
  const Shape expected{panels, int8_panel_bytes(depth)};
  if (!std::ranges::equal(packed.sizes(), Sizes(expected)))
    call.fail_at<Status::shape>(arg, packed.sizes(), ", expected ", Sizes(expected), " of int8Pack");
  return contiguous(to_dtype(packed, DType::int8));
}

void check_depth(const Call& call, int arg, int64_t depth) {
  if (depth > most_int8_depth)
    call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected at most ", most_int8_depth, " elements for a sum");
}

// The dtype of a result of scaled sums: float32, unless the argument asks for integers.
DType scaled_dtype(const Call& call, int arg) {
  const DType asked = call.has(arg) ? call.arg(arg).dtype : DType::float32;
  if (asked != DType::float32 && asked != DType::uint8 && asked != DType::int8)
    call.fail_at<Status::dtype>(arg, asked, ", expected torch.FloatTensor, torch.ByteTensor or torch.CharTensor");
  return asked;
}

// The operands of Int8Scaling; a plan does not keep them alive. Arguments from `first` on are multiplier, bias, weightZero, outZero, dtype.
struct CheckedScaling {
  Tensor multiplier, bias, weight_zero;
  int64_t zero, out_zero;
  DType dtype;
  operator Int8Scaling() const { return {zero, out_zero, multiplier, bias, weight_zero}; }  // NOLINT: implicit
};

CheckedScaling checked_scaling(const Call& call, int first, int zero_arg, int64_t columns, DType of_x) {
  CheckedScaling s;
  s.zero = checked_zero(call, zero_arg, of_x);
  s.multiplier = values_of(call, first, DType::float32, columns);
  s.bias = values_of(call, first + 1, DType::float32, columns);
  s.weight_zero = values_of(call, first + 2, DType::int32, columns);
  const bool scales = call.has(first);
  if (!scales && of_x == DType::float32) call.fail_at(first, "nothing, expected a tensor for floats");
  if (!scales && call.has(first + 1)) call.fail_at(first + 1, "a tensor, expected none without multiplier");
  s.dtype = scales ? DType::float32 : DType::int32;
  if (call.has(first + 4)) {
    const DType asked = call.arg(first + 4).dtype;
    if (!scales && asked != s.dtype) call.fail_at<Status::dtype>(first + 4, asked, ", expected torch.IntTensor");
    if (scales) s.dtype = scaled_dtype(call, first + 4);
  }
  s.out_zero = checked_zero(call, first + 3, s.dtype);
  return s;
}

// x and scratch memory for its quantised elements, in `rows` rows.
struct CheckedInput {
  Tensor x, quantized, ranges;
  operator Int8Input() const { return {x, quantized, ranges}; }  // NOLINT: implicit
};

CheckedInput input_of(const Call& call, const Tensor& x, int64_t rows) {
  if (x.dtype() != DType::float32) return {x, Tensor(), Tensor()};
  return {x, call.empty(DType::uint8, Shape{x.numel()}), call.empty(DType::float32, Shape{rows, 2})};
}

// Strides, paddings and dilations of both axes.
struct Window {
  std::array<int64_t, 2> stride{1, 1}, before{}, after{}, dilation{1, 1};
};

Window window_of(const Call& call, int arg) {
  Window window;
  if (!call.has(arg)) return window;
  const Sizes given = call.sizes(arg);
  if (given.size() != 8) call.fail_at<Status::shape>(arg, given, ", expected 8 numbers");
  for (size_t i = 0; i < given.size(); ++i) {
    const int64_t least = i >= 2 && i < 6 ? 0 : 1;
    if (given[i] < least || given[i] > most_of_a_size)
      call.fail_at<Status::range>(arg, given, ", expected whole numbers in ", least, "..", most_of_a_size);
    std::array<int64_t, 2>* const fields[] = {&window.stride, &window.before, &window.after, &window.dilation};
    (*fields[i / 2])[i % 2] = given[i];
  }
  return window;
}

Int8Axis axis_of(const Call& call, size_t i, int64_t kernel, const Window& window) {
  const int64_t size = call.tensor(0).size(static_cast<int>(i) + 2), span = window.dilation[i] * (kernel - 1) + 1;
  const int64_t room = size + window.before[i] + window.after[i] - span;
  if (room < 0)
    call.fail_at<Status::shape>(0, call.tensor(0).sizes(), ", expected at least ", size - room, " elements instead of ", size,
                                " for the kernel");
  return {size, room / window.stride[i] + 1, kernel, window.stride[i], window.before[i], window.dilation[i]};
}

}  // namespace

void plan_int8_pack(Call& call) {
  const Tensor& given = call.tensor(0);
  if (given.dim() != 2 && given.dim() != 4) call.fail_at<Status::shape>(0, given.sizes(), ", expected 2 or 4 dimensions");
  const int64_t groups = call.integer(1), out = given.size(0), depth = out == 0 ? 0 : given.numel() / out;
  if (groups < 1 || out % groups != 0) call.fail_at<Status::range>(1, groups, ", expected a divisor of ", out, ", the first size");
  check_depth(call, 0, depth);
  Tensor last = given;  // the channels of a tap become adjacent
  if (given.dim() == 4)
    last.set_geometry(given.offset(), Shape{out, given.size(2), given.size(3), given.size(1)},
                      Shape{given.stride(0), given.stride(2), given.stride(3), given.stride(1)});
  const Tensor weight = contiguous(to_dtype(last, DType::int8));
  const int64_t columns = out / groups;
  const Tensor packed = call.output(0, DType::int8, Shape{groups * int8_panels(columns), int8_panel_bytes(depth)}, {.dense = true});
  if (packed.numel() > 0) call.launch<Int8PackPlan>(weight, packed, groups, columns, depth);
  call.finish(0, packed);
}

void plan_int8_linear(Call& call) {
  const Tensor& given = call.tensor(0);
  if (given.dim() == 0) call.fail_at<Status::shape>(0, given.sizes(), ", expected one dimension or more");
  const int64_t depth = given.size(given.dim() - 1), columns = checked_columns(call, 2);
  check_depth(call, 0, depth);
  const Tensor packed = checked_packed(call, 1, int8_panels(columns), depth);
  const DType dtype = input_dtype(given);
  const CheckedScaling scaling = checked_scaling(call, 4, 3, columns, dtype);
  const Tensor x = contiguous(to_dtype(given, dtype));
  Shape sizes(given.sizes());
  sizes[given.dim() - 1] = columns;
  const Tensor out = call.output(0, scaling.dtype, sizes, {.dense = true});
  if (out.numel() > 0) {
    const int64_t rows = out.numel() / columns;
    const CheckedInput input = input_of(call, x, rows);
    call.launch<Int8LinearPlan>(Int8Input(input), packed, out, rows, columns, depth, Int8Scaling(scaling));
  }
  call.finish(0, out);
}

void plan_int8_conv2d(Call& call) {
  const Tensor& given = call.tensor(0);
  if (given.dim() != 4) call.fail_at<Status::shape>(0, given.sizes(), ", expected (n, channels, height, width)");
  const int64_t columns = checked_columns(call, 2), groups = call.integer(11), in = given.size(1);
  if (groups < 1 || in % groups != 0 || columns % groups != 0)
    call.fail_at<Status::range>(11, groups, ", expected a divisor of ", in, " and ", columns, ", the numbers of channels");
  const SizePerAxis kernel(call, 3, 2, 1);
  const int64_t taps = kernel[0] * kernel[1];
  if (taps > most_int8_depth || in / groups > most_int8_depth / taps)
    call.fail_at<Status::range>(3, call.sizes(3), ", expected at most ", most_int8_depth, " elements for a sum");
  const Window window = window_of(call, 10);
  const Int8Axis rows = axis_of(call, 0, kernel[0], window), lines = axis_of(call, 1, kernel[1], window);
  const Tensor packed = checked_packed(call, 1, groups * int8_panels(columns / groups), in / groups * taps);
  const DType dtype = input_dtype(given);
  const CheckedScaling scaling = checked_scaling(call, 5, 4, columns, dtype);
  const Tensor out = call.output(0, scaling.dtype, Shape{given.size(0), columns, rows.out, lines.out},
                                 {.layout = ImageLayout::channels_last, .dense = true});
  if (out.numel() > 0) {
    const Tensor x = with_layout(given, dtype, ImageLayout::channels_last);
    const CheckedInput input = input_of(call, x, given.size(0));
    call.launch<Int8ConvPlan>(Int8Input(input), packed, out, given.size(0), in, columns, groups, std::array<Int8Axis, 2>{rows, lines},
                              Int8Scaling(scaling));
  }
  call.finish(0, out);
}

void plan_int8_max_pool2d(Call& call) {
  const Tensor& given = call.tensor(0);
  if (given.dim() != 4) call.fail_at<Status::shape>(0, given.sizes(), ", expected (n, channels, height, width)");
  const PoolShape shape = max_pool_shape(call, 2, ImageLayout::channels_last);
  const DType dtype = integer_dtype(given);
  const Tensor y = call.output(0, dtype, Shape{given.size(0), given.size(1), shape.h.out, shape.w.out},
                               {.layout = ImageLayout::channels_last, .dense = true});
  if (y.numel() > 0) {
    const Tensor x = with_layout(given, dtype, ImageLayout::channels_last);
    call.launch<Int8MaxPoolPlan>(shape, x, y);
  }
  call.finish(0, y);
}

void plan_int8_add(Call& call) {
  const Tensor &x = call.tensor(0), &y = call.tensor(1);
  if (!std::ranges::equal(x.sizes(), y.sizes())) call.fail_at<Status::shape>(1, y.sizes(), ", expected ", x.sizes());
  const DType of_x = integer_dtype(x), of_y = integer_dtype(y), dtype = scaled_dtype(call, 7);
  const int64_t x_zero = checked_zero(call, 4, of_x), y_zero = checked_zero(call, 5, of_y), out_zero = checked_zero(call, 6, dtype);
  const ImageLayout layout = layout_of(x);
  const Tensor out = call.output(0, dtype, x.sizes(), {.layout = layout, .dense = true});
  if (out.numel() > 0) {
    const Tensor dense_x = with_layout(x, of_x, layout), dense_y = with_layout(y, of_y, layout);
    call.launch<Int8AddPlan>(Int8Term{dense_x, static_cast<float>(call.number(2)), static_cast<int32_t>(x_zero)},
                             Int8Term{dense_y, static_cast<float>(call.number(3)), static_cast<int32_t>(y_zero)}, out, out_zero);
  }
  call.finish(0, out);
}

void plan_int8_avg_pool2d(Call& call) {
  const Tensor& given = call.tensor(0);
  if (given.dim() != 4) call.fail_at<Status::shape>(0, given.sizes(), ", expected (n, channels, height, width)");
  const PoolShape shape = avg_pool_shape(call, 2, 2, ImageLayout::channels_last);
  // Sums of 255 times as much fit in an int32.
  constexpr int64_t most_of_a_window = int64_t{1} << 23;
  if (shape.h.kernel > most_of_a_window / shape.w.kernel)
    call.fail_at<Status::range>(2, shape.h.kernel, " x ", shape.w.kernel, ", expected at most ", most_of_a_window, " elements of a window");
  const DType of_x = integer_dtype(given), dtype = scaled_dtype(call, 12);
  const int64_t zero = checked_zero(call, 10, of_x), out_zero = checked_zero(call, 11, dtype);
  const Tensor y = call.output(0, dtype, Shape{given.size(0), given.size(1), shape.h.out, shape.w.out},
                               {.layout = ImageLayout::channels_last, .dense = true});
  if (y.numel() > 0) {
    const Tensor x = with_layout(given, of_x, ImageLayout::channels_last);
    call.launch<Int8AvgPoolPlan>(shape, call.boolean(9), Int8Term{x, static_cast<float>(call.number(1)), static_cast<int32_t>(zero)}, y,
                                 out_zero);
  }
  call.finish(0, y);
}

void plan_int8_matmul(Call& call) {
  const Tensor &given_x = call.tensor(0), &given_y = call.tensor(1);
  for (const int arg : {0, 1}) {
    if (call.tensor(arg).dim() < 2) call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected two dimensions or more");
  }
  const auto size = [](const Tensor& t, int from_end) { return t.size(t.dim() - from_end); };
  const int64_t rows = size(given_x, 2), depth = size(given_x, 1), columns = size(given_y, 1);
  if (size(given_y, 2) != depth) call.fail_at<Status::shape>(1, given_y.sizes(), ", expected (…, ", depth, ", m)");
  check_depth(call, 0, depth);
  const bool is_dynamic = is_float(given_x.dtype()) || is_float(given_y.dtype());
  const DType of_x = is_dynamic ? DType::float32 : integer_dtype(given_x), of_y = is_dynamic ? DType::float32 : integer_dtype(given_y);
  const bool is_scaled = is_dynamic || call.has(4);
  const DType dtype = is_scaled ? scaled_dtype(call, 6) : DType::int32;
  if (!is_scaled && call.has(6) && call.arg(6).dtype != dtype)
    call.fail_at<Status::dtype>(6, call.arg(6).dtype, ", expected torch.IntTensor");
  const int64_t x_zero = checked_zero(call, 2, of_x), y_zero = checked_zero(call, 3, of_y), out_zero = checked_zero(call, 5, dtype);

  const auto outer_sizes = [](const Tensor& t) { return t.sizes().first(static_cast<size_t>(t.dim() - 2)); };
  Shape sizes = broadcast("int8Matmul", "y", outer_sizes(given_x), outer_sizes(given_y));
  const auto expanded = [&](const Tensor& t) {
    Shape all(sizes);
    all.push(size(t, 2));
    all.push(size(t, 1));
    return expand_to(t, all);
  };
  Tensor x = expanded(to_dtype(given_x, of_x)), y = to_dtype(given_y, of_y);
  // One y for all: the rows of all x are those of one product.
  const bool is_shared = y.numel() == depth * columns;
  y = is_shared ? y : expanded(y);
  const auto step = [](const Tensor& t, int from_end) { return t.dim() >= from_end ? t.stride(t.dim() - from_end) : 0; };
  if (is_dynamic || is_shared || !has_equal_steps(x) || (depth > 1 && step(x, 1) != 1)) x = contiguous(x);
  const bool is_adjacent = depth <= 1 || columns <= 1 || step(y, 1) == 1 || step(y, 2) == 1;
  if (!has_equal_steps(y) || !is_adjacent) y = contiguous(y);
  sizes.push(rows);
  sizes.push(columns);
  const Tensor out = call.output(0, dtype, sizes, {.dense = true});
  if (out.numel() > 0) {
    const int64_t matrices = out.numel() / (rows * columns), inner = sizes.size() > 2 ? sizes[sizes.size() - 3] : 1;
    const CheckedInput input = input_of(call, x, out.numel() / columns);
    if (is_shared)
      call.launch<Int8MatmulPlan>(HeadMatrices{x, 0, 0, depth}, HeadMatrices{y, 0, 0, step(y, 2)}, columns <= 1 ? 1 : step(y, 1),
                                  input.quantized, input.ranges, out, int64_t{1}, int64_t{1}, matrices * rows, depth, columns, x_zero,
                                  y_zero, out_zero, static_cast<float>(call.has(4) ? call.number(4) : 1));
    else
      call.launch<Int8MatmulPlan>(in_steps(x), in_steps(y), columns <= 1 ? 1 : step(y, 1), input.quantized, input.ranges, out,
                                  matrices / inner, inner, rows, depth, columns, x_zero, y_zero, out_zero,
                                  static_cast<float>(call.has(4) ? call.number(4) : 1));
  }
  call.finish(0, out);
}

void plan_int8_attention(Call& call) {
  constexpr AttentionArguments at{0, 3};
  const Tensor& query = call.tensor(0);
  const AttentionSizes sizes = attention_sizes(call, at);
  check_depth(call, 0, sizes.size);
  check_depth(call, 2, sizes.keys);
  const bool is_dynamic = is_float(query.dtype());
  for (const int arg : {1, 2}) {
    if (is_float(call.tensor(arg).dtype()) != is_dynamic)
      call.fail_at<Status::dtype>(arg, call.tensor(arg).dtype(), is_dynamic ? ", expected floats" : ", expected integers", " as the query");
  }
  const auto dtype_of = [&](int arg) { return is_dynamic ? DType::float32 : integer_dtype(call.tensor(arg)); };
  const DType dtype = scaled_dtype(call, 10);
  const int64_t query_zero = checked_zero(call, 6, dtype_of(0)), value_zero = checked_zero(call, 7, dtype_of(2)),
                out_zero = checked_zero(call, 9, dtype);
  const Tensor mask = attention_mask(call, at, DType::float32, sizes);
  Shape shape(query.sizes());
  shape[shape.size() - 1] = sizes.value_size;
  const Tensor res = call.output(0, dtype, shape, {.dense = true});
  if (res.numel() > 0) {
    const Tensor q = matrices_of(call, 0, dtype_of(0)), k = matrices_of(call, 1, dtype_of(1)), v = matrices_of(call, 2, dtype_of(2));
    call.launch<Int8AttentionPlan>(sizes, in_steps(q), in_steps(k), in_steps(v), mask_in_steps(mask, call, at), res, query_zero, value_zero,
                                   out_zero, static_cast<float>(call.number(8)));
  }
  call.finish(0, res);
}

}  // namespace mt
