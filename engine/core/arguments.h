// Parts of the conversion of arguments that the engine uses, too: defaults, whole numbers, names of element types and devices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/device_kind.h"
#include "engine/core/registry.h"

namespace mt {

// The value of an argument that was left out.
inline void set_default(Value& value, const Param& p) {
  if (!p.has_default) return;
  if (p.takes(kind_string)) {
    value.type = Value::Type::string;
    value.string = p.default_text.data();
    value.count = static_cast<int32_t>(p.default_text.size());
  } else if (p.takes(kind_boolean)) {
    value.type = Value::Type::boolean;
    value.boolean = p.default_number != 0;
  } else {
    value.type = Value::Type::number;
    value.number = p.default_number;
  }
}

// Parses the name of a dtype, of a device, or of both: 'float32', 'meta', 'float32 on meta'. A device alone leaves the dtype at `own`. A
// dtype alone leaves the device to the op; the name of a class also fixes the kind of device: 'torch.FloatTensor' is on the CPU, while
// 'float32' may be on any device.
void read_element_kind(Value& value, std::string_view text, DType own, std::string_view op, std::string_view argument);
inline void name_device(Value& value, DeviceId device) { value.count = device + 1; }
inline void name_kind(Value& value, KindId kind) { value.count = -1 - kind; }
inline bool names_place(const Value& value) { return value.type == Value::Type::dtype && value.count != 0; }
// The device of an op's result: the one that the argument names, or else `own`.
inline DeviceId place_of(const Value& value, DeviceId own) {
  if (!names_place(value)) return own;
  if (value.count > 0) return static_cast<DeviceId>(value.count - 1);
  const auto kind = static_cast<KindId>(-1 - value.count);
  return device_kind(own) == kind ? own : current_device(kind);
}
// The value for `own`: the dtype of the out argument, or else of the first tensor, or else the default.
DType own_dtype(const Tensor* given, std::span<const Value> args, DType otherwise);

// Raises "op: argument: actual, expected ...".
template <Status status = Status::invalid, class Actual, class... Expected>
[[noreturn]] void refuse_argument(std::string_view op, std::string_view argument, const Actual& actual, const Expected&... expected) {
  fail<status>(op, argument, actual, ", expected ", expected...);
}

// The error for a number that is not an integer. A front end may replace its message by one that fits its argument.
class FractionError : public Error {
 public:
  using Error::Error;
};
// Raises that error, with enough digits to identify the number.
[[noreturn]] void refuse_fraction(double given, std::string_view op, std::string_view argument);

// Turns a number into an integer, or raises an error if it is not one.
void make_whole(Value& value, std::string_view op, std::string_view argument);

}  // namespace mt
