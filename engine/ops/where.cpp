// where: elements are chosen as bits, so that one loop serves every dtype of a size.
#include "engine/core/iterator.h"
#include "engine/ops/register.h"

namespace mt {
namespace {

#include "engine/ops/where-inl.h"

template <class Bits> void choose(std::byte* const* pointers, const int64_t* strides, int64_t n) {
  auto* out = pointers[0];
  const auto *mask = pointers[1], *x = pointers[2], *y = pointers[3];
  const int64_t so = strides[0], sm = strides[1], sx = strides[2], sy = strides[3];
  constexpr int64_t dense = sizeof(Bits);
  if (so == dense && sm == 1 && sx == dense && sy == dense) {
    auto* o = reinterpret_cast<Bits*>(out);
    const auto *a = reinterpret_cast<const Bits*>(x), *b = reinterpret_cast<const Bits*>(y);
    for (int64_t i = 0; i < n; ++i) {
      const Bits keep = mask[i] != std::byte{0} ? static_cast<Bits>(~Bits{0}) : Bits{0};
      o[i] = static_cast<Bits>((a[i] & keep) | (b[i] & static_cast<Bits>(~keep)));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<Bits*>(out + i * so) = *reinterpret_cast<const Bits*>(mask[i * sm] != std::byte{0} ? x + i * sx : y + i * sy);
  }
}

using ChooseFn = void (*)(std::byte* const*, const int64_t*, int64_t);

ChooseFn choose_for(DType dtype) {
  switch (size_of(dtype)) {
    case 1:
      return &choose<uint8_t>;
    case 2:
      return &choose<uint16_t>;
    case 4:
      return &choose<uint32_t>;
    default:
      return &choose<uint64_t>;
  }
}

DType chosen_dtype(const Call& call) {
  const Value &x = call.arg(1), &y = call.arg(2);
  if (x.is_tensor() && y.is_tensor()) return promote(x.tensor->dtype(), y.tensor->dtype());
  if (x.is_tensor()) return x.tensor->dtype();
  return y.is_tensor() ? y.tensor->dtype() : call.default_dtype;
}

// An operand in the result's dtype; a number becomes a tensor of one element.
Tensor operand(const Call& call, int i, DType dtype) {
  const Value& value = call.arg(i);
  if (value.is_tensor()) return to_dtype(*value.tensor, dtype);
  Tensor one = Tensor::empty(dtype, {1});
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    *one.data<T>() = value.type == Value::Type::integer ? convert_element<T>(value.integer) : element_from<T>(value.number);
  });
  return one;
}

void run_where(Call& call) {
  const Tensor& mask = call.tensor(0);
  if (mask.dtype() != DType::uint8 && mask.dtype() != DType::boolean) {
    call.fail_at(0, mask.dtype(), " came, a mask, torch.ByteTensor or torch.BoolTensor, was expected");
  }
  const DType dtype = chosen_dtype(call);
  const Tensor x = operand(call, 1, dtype), y = operand(call, 2, dtype);
  Shape shape(mask.sizes());
  for (int i = 1; i <= 2; ++i) {
    if (!call.arg(i).is_tensor()) continue;
    if ((call.tensor(i).dim() == 0) != (shape.size() == 0)) {
      call.fail_at(i, call.tensor(i).sizes(), " came, sizes that broadcast with ", Sizes(shape), " were expected");
    }
    shape = broadcast(call.name(), call.argument(i), shape, call.tensor(i).sizes());
  }
  const Tensor out = call.output(0, dtype, shape);
  if (out.numel() > 0) {
    Iterator it(out.sizes());
    it.add(out);
    it.add(mask);
    it.add(x);
    it.add(y);
    it.collapse();
    it.run(choose_for(dtype));
  }
  call.finish(0, out);
}

constexpr Row rows[] = {{&Where::decl, &run_where}};

}  // namespace

std::span<const Row> where_rows() { return rows; }

}  // namespace mt
