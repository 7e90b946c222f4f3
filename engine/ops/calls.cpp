#include "engine/ops/calls.h"

namespace mt {
namespace {

const Op& op_called(std::string_view name) { return *Registry::instance().find(name); }

// A tensor as an argument. Ops write only to results.
Value argument(const Tensor& x) { return Value(const_cast<Tensor&>(x)); }

Value argument(int64_t n) {
  Value value;
  value.type = Value::Type::integer;
  value.integer = n;
  return value;
}

Value argument(Sizes sizes) {
  Value value;
  value.type = Value::Type::sizes;
  value.count = static_cast<int32_t>(sizes.size());
  value.sizes = sizes.data();
  return value;
}

// Ops that programs don't call by name: methods of tensors and storages, and writes of compiled loops.

struct Set {
  static constexpr Decl decl{.name = "set",
                             .signature = "[res] x:tensor sizes:sizes strides:sizes offset:index",
                             .method = Method::none,
                             .sharing = Sharing::view,
                             .differentiable = false,
                             .doc = "The result becomes a view of x's storage from element `offset`, with these sizes and strides."};
  static void plan(Call& call) {
    const DType dtype = call.tensor(0).dtype();
    call.result(0).set_storage(call.tensor(0).storage_ptr(), call.integer(3), call.sizes(1), call.sizes(2));
    call.result(0).interpret_as(dtype);
  }
};

struct Resize {
  static constexpr Decl decl{.name = "resize",
                             .signature = "[res] x:tensor sizes:sizes",
                             .method = Method::none,
                             .sharing = Sharing::view,
                             .differentiable = false,
                             .doc = "x, the result itself, gets these sizes; its storage grows where it is too small."};
  static void plan(Call& call) { call.result(0).resize(call.name(), call.sizes(1)); }
};

struct ResizeStorage {
  static constexpr Decl decl{.name = "resize_storage",
                             .signature = "[res] x:tensor size:int",
                             .method = Method::none,
                             .sharing = Sharing::view,
                             .differentiable = false,
                             .doc = "x's storage gets `size` elements, of which the result is a vector. Other threads may hold it."};
  static void plan(Call& call) {
    const StoragePtr& storage = call.tensor(0).storage_ptr();
    if (const int64_t size = call.integer(1); size > storage->size)
      storage->grow_to(size);
    else
      storage->resize(size);
    call.give(0, whole_of(storage));
  }
};

struct Touch {
  static constexpr Decl decl{.name = "touch",
                             .signature = "[res] x:tensor",
                             .method = Method::none,
                             .sharing = Sharing::view,
                             .differentiable = false,
                             .doc = "Elements of x, the result itself, were or are being written through a pointer."};
  static void plan(Call& call) { call.result(0).touch(); }
};

struct Expose {
  static constexpr Decl decl{.name = "expose",
                             .signature = "[res] x:tensor",
                             .method = Method::none,
                             .sharing = Sharing::view,
                             .differentiable = false,
                             .doc = "A pointer to the elements of x, the result itself, is out: they may be written at any time."};
  static void plan(Call&) {}
};

struct Read {
  static constexpr Decl decl{.name = "read",
                             .signature = "[res] x:tensor",
                             .method = Method::none,
                             .sharing = Sharing::view,
                             .differentiable = false,
                             .doc = "The program reads elements of x, the result itself, as numbers."};
  static void plan(Call&) {}
};

template <class Declared> const Op& unlisted() {
  static const Op op{&Declared::decl, &Declared::plan, {}, nullptr, {}};
  return op;
}

// Runs an op with one result, an out argument (given = 1) or a new tensor (0), on the device of x.
void run(OpHook* hook, const Op& op, const Tensor& x, std::span<Value> args, Tensor& result, uint32_t given) {
  Tensor* results[] = {&result};
  Call call{op, args, results, given};
  call.hook = hook;
  call.device = x.device();
  run_op(call);
}

}  // namespace

void call_copy(OpHook* hook, Tensor& to, const Tensor& from) {
  static const Op& copy = op_called("copy");
  Value args[] = {argument(to), argument(from)};
  run(hook, copy, to, args, to, 1);
}

void call_fill(OpHook* hook, Tensor& to, const Value& value) {
  static const Op& fill = op_called("fill");
  Value args[] = {argument(to), value};
  run(hook, fill, to, args, to, 1);
}

void call_zero(OpHook* hook, Tensor& to) {
  static const Op& zero = op_called("zero");
  Value args[] = {argument(to)};
  run(hook, zero, to, args, to, 1);
}

void call_select(OpHook* hook, const Tensor& x, int dim, int64_t index, Tensor& view) {
  static const Op& select = op_called("select");
  Value args[] = {argument(x), argument(dim), argument(index)};
  run(hook, select, x, args, view, 0);
}

void call_narrow(OpHook* hook, const Tensor& x, int dim, int64_t first, int64_t length, Tensor& view) {
  static const Op& narrow = op_called("narrow");
  Value args[] = {argument(x), argument(dim), argument(first), argument(length)};
  run(hook, narrow, x, args, view, 0);
}

void call_view(OpHook* hook, const Tensor& x, Sizes sizes, Tensor& view) {
  static const Op& op = op_called("view");
  Value args[] = {argument(x), argument(sizes)};
  run(hook, op, x, args, view, 0);
}

void call_clone(OpHook* hook, const Tensor& x, Tensor& made) {
  static const Op& clone = op_called("clone");
  Value args[] = {argument(x)};
  run(hook, clone, x, args, made, 0);
}

void call_to(OpHook* hook, const Tensor& x, DType dtype, Tensor& made) {
  static const Op& to = op_called("to");
  Value args[] = {argument(x), Value()};
  args[1].type = Value::Type::dtype;
  args[1].dtype = dtype;
  run(hook, to, x, args, made, 0);
}

void call_contiguous(OpHook* hook, const Tensor& x, Tensor& made) {
  static const Op& contiguous = op_called("contiguous");
  Value args[] = {argument(x)};
  run(hook, contiguous, x, args, made, 0);
}

void call_channels_last(OpHook* hook, const Tensor& x, Tensor& made) {
  static const Op& channels_last = op_called("channelsLast");
  Value args[] = {argument(x)};
  run(hook, channels_last, x, args, made, 0);
}

void call_abs(OpHook* hook, const Tensor& z, Tensor& made) {
  static const Op& abs = op_called("abs");
  Value args[] = {argument(z)};
  run(hook, abs, z, args, made, 0);
}

void call_hypot(OpHook* hook, const Tensor& x, const Tensor& y, Tensor& made) {
  static const Op& hypot = op_called("hypot");
  Value args[] = {argument(x), argument(y)};
  run(hook, hypot, x, args, made, 0);
}

void call_part(OpHook* hook, const Tensor& z, int part, Tensor& view) {
  static const Op& real = op_called("real");
  static const Op& imaginary = op_called("imag");
  Value args[] = {argument(z)};
  run(hook, part == 0 ? real : imaginary, z, args, view, 0);
}

void call_as_strided(OpHook* hook, const Tensor& x, Sizes sizes, Sizes strides, int64_t offset, Tensor& view) {
  static const Op& as_strided = op_called("as_strided");
  Value args[] = {argument(x), argument(sizes), argument(strides), argument(offset)};
  run(hook, as_strided, x, args, view, 0);
}

void call_set(OpHook* hook, Tensor& t, const Tensor& x) { call_set(hook, t, x, x.offset(), x.sizes(), x.strides()); }

void call_set(OpHook* hook, Tensor& t, const Tensor& x, int64_t offset, Sizes sizes, Sizes strides) {
  Value args[] = {argument(x), argument(sizes), argument(strides), argument(offset)};
  run(hook, unlisted<Set>(), x, args, t, 1);
}

void call_resize(OpHook* hook, Tensor& t, Sizes sizes) {
  Value args[] = {argument(t), argument(sizes)};
  run(hook, unlisted<Resize>(), t, args, t, 1);
}

void call_resize_storage(OpHook* hook, const StoragePtr& storage, int64_t size) {
  const Tensor whole = whole_of(storage);
  Tensor resized;
  Value args[] = {argument(whole), argument(size)};
  run(hook, unlisted<ResizeStorage>(), whole, args, resized, 0);
}

void call_touch(OpHook* hook, Tensor& t) {
  Value args[] = {argument(t)};
  run(hook, unlisted<Touch>(), t, args, t, 1);
}

void call_expose(OpHook* hook, Tensor& t) {
  if (hook == nullptr) return;
  Value args[] = {argument(t)};
  run(hook, unlisted<Expose>(), t, args, t, 1);
}

void call_read(OpHook* hook, const Tensor& t) {
  if (hook == nullptr || !hook->sees_reads()) return;
  Value args[] = {argument(t)};
  run(hook, unlisted<Read>(), t, args, const_cast<Tensor&>(t), 1);
}

Tensor whole_of(const StoragePtr& storage) {
  Tensor whole;
  whole.set_storage(storage, 0, Shape{storage->size}, Shape{1});
  return whole;
}

}  // namespace mt
