#include "engine/core/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace mt {

void refuse_fraction(double given, std::string_view op, std::string_view argument) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.14g", given);
  if (std::strtod(digits, nullptr) != given) std::snprintf(digits, sizeof digits, "%.17g", given);  // 100 * 0.55 is no 55
  throw FractionError(Status::range, concat(op, ": ", argument, ": ", digits, ", expected a whole number"));
}

void make_whole(Value& value, std::string_view op, std::string_view argument) {
  if (value.type == Value::Type::element) refuse_argument(op, argument, "a complex number", "a whole number");
  if (value.type != Value::Type::number) return;
  const double given = value.number;
  if (!(given >= -0x1p63 && given < 0x1p63) || given != std::trunc(given)) refuse_fraction(given, op, argument);
  value.type = Value::Type::integer;
  value.integer = static_cast<int64_t>(given);
}

void read_element_kind(Value& value, std::string_view text, DType own, std::string_view op, std::string_view argument) {
  constexpr std::string_view between = " on ";
  value.type = Value::Type::dtype;
  value.dtype = own;
  value.count = 0;
  const size_t on = text.find(between);
  if (const std::optional<TensorType> type = find_tensor_type(text.substr(0, on))) {
    value.dtype = type->dtype;
    if (on != std::string_view::npos)
      name_device(value, find_device(op, argument, text.substr(on + between.size())));
    else if (type->kind != plain_kind || text.starts_with("torch."))
      name_kind(value, type->kind);
    return;
  }
  if (const std::optional<DeviceId> device = device_called(text)) return name_device(value, *device);
  refuse_argument<Status::dtype>(op, argument, text, "the name of a tensor type, or of a device: ", device_names());
}

DType own_dtype(const Tensor* given, std::span<const Value> args, DType otherwise) {
  if (given != nullptr) return given->dtype();
  const auto first = std::ranges::find_if(args, &Value::is_tensor);
  return first != args.end() ? first->tensor->dtype() : otherwise;
}

}  // namespace mt
