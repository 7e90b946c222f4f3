// Converts matched arguments to the values that ops receive: in the signature's order, with defaults, counted from 0. A front end describes
// an argument as an ArgumentReader; this code chooses the kind of the value, and converts its count.
#pragma once

#include <new>
#include <optional>
#include <span>

#include "engine/arguments/match.h"
#include "engine/arguments/messages.h"
#include "engine/core/arguments.h"

namespace mt {

// The functions that convert() calls for an argument at a position. It calls the function of a kind if kinds() has that kind; only tensor()
// and number() check the kind themselves. All may raise errors. A list that counts from 1 has a further function, writable(sizes): the
// sizes that sizes() returned last, in writable memory.
template <class List>
concept ArgumentReader = requires(List& list, const Param& p, int at, std::string_view text, DType own, Value& value) {
  {std::bool_constant<List::counts_from_1>()};
  { list.op() } -> std::convertible_to<std::string_view>;                    // for messages
  { list.kinds(at) } -> std::same_as<uint16_t>;                              // the kinds that it may be
  { list.tensor(at, p) } -> std::same_as<Tensor*>;                           // null if it is not a tensor
  { list.number(at, value) } -> std::same_as<bool>;                          // sets a number or an integer
  { list.plain_number(at, value) } -> std::same_as<bool>;                    // the same, but only if that is quick
  { list.sizes(at, p) } -> std::convertible_to<Sizes>;                       // in the caller's count
  { list.boolean(at) } -> std::same_as<bool>;                                //
  { list.text(at, p) } -> std::same_as<std::string_view>;                    // of a string
  { list.dtype(at, p) } -> std::same_as<std::optional<DType>>;               // of a value other than a string
  { list.own_dtype(value) } -> std::same_as<DType>;                          // for a device without a dtype; value is the one to be set
  {list.read_element_kind(value, text, own, p)};                             // as mt::read_element_kind
  { list.tensors(at, p) } -> std::convertible_to<std::span<Tensor* const>>;  //
  { list.generator(at, p) } -> std::same_as<Generator*>;                     // null if it is not a generator
  { list.type_name(at) } -> std::convertible_to<std::string_view>;           // for messages
};

// Converts an integer argument from the caller's count, from 1, to the engine's. Raises an error if it is not a position or
// dimension.
void count_from_0(Value& value, const Param& p, std::string_view op);
// The same for a list of dimensions or positions.
void count_from_0(std::span<int64_t> list, const Param& p, std::string_view op);

// Sets the value of an argument from the argument at a position of the list.
template <ArgumentReader List> void convert(List& list, const Param& p, int at, Value& value) {
  if (p.takes(kind_tensor)) {
    if (Tensor* const tensor = list.tensor(at, p)) {
      value.type = Value::Type::tensor;
      value.tensor = tensor;
      return;
    }
  }
  const uint16_t kinds = list.kinds(at) & p.kinds;
  if ((kinds & kind_sizes) != 0) {
    Sizes sizes = list.sizes(at, p);
    if constexpr (List::counts_from_1) {
      if (p.takes_counted_list()) {
        const std::span<int64_t> counted = list.writable(sizes);
        count_from_0(counted, p, list.op());
        sizes = counted;
      }
    }
    value.type = Value::Type::sizes;
    value.sizes = sizes.data();
    value.count = static_cast<int32_t>(sizes.size());
    return;
  }
  if (p.takes(number_kinds) && list.number(at, value)) {
    if (p.takes(kind_number)) return;
    make_whole(value, list.op(), p.name);
    if constexpr (List::counts_from_1) count_from_0(value, p, list.op());
    return;
  }
  if ((kinds & kind_boolean) != 0) {
    value.type = Value::Type::boolean;
    value.boolean = list.boolean(at);
    return;
  }
  if ((kinds & kind_dtype) != 0) {
    const std::optional<DType> dtype = list.dtype(at, p);
    if (!dtype) return list.read_element_kind(value, list.text(at, p), list.own_dtype(value), p);
    value.type = Value::Type::dtype;
    value.dtype = *dtype;
    value.count = 0;  // no device is named
    return;
  }
  if ((kinds & kind_string) != 0) {
    const std::string_view text = list.text(at, p);
    value.type = Value::Type::string;
    value.string = text.data();
    value.count = static_cast<int32_t>(text.size());
    return;
  }
  if ((kinds & kind_tensors) != 0) {
    const std::span<Tensor* const> tensors = list.tensors(at, p);
    value.type = Value::Type::tensors;
    value.tensors = tensors.data();
    value.count = static_cast<int32_t>(tensors.size());
    return;
  }
  if ((kinds & kind_generator) != 0) {
    if (Generator* const generator = list.generator(at, p)) {
      value.type = Value::Type::generator;
      value.generator = generator;
      return;
    }
  }
  refuse_kind(list.op(), p, list.type_name(at));
}

// Converts a number to an integer as make_whole() and count_from_0() would, if it is small and positive. Returns false for other numbers.
template <bool counts_from_1> bool make_usual_integer(Value& value, const Param& p) {
  constexpr double most = 1 << 30;
  if (value.type != Value::Type::number || !(value.number >= 1 && value.number <= most)) return false;
  const auto integer = static_cast<int32_t>(value.number);
  if (static_cast<double>(integer) != value.number) return false;
  value.type = Value::Type::integer;
  value.integer = counts_from_1 && p.takes(kind_dim | kind_index) ? integer - 1 : integer;
  return true;
}

// Constructs the values of a call, and sets those that are tensors, plain numbers, small positive integers or defaults. Returns whether
// other arguments remain, whose values have no type yet: convert() sets these.
template <ArgumentReader List>
[[gnu::always_inline]] inline bool convert_usual(List& list, const Signature& signature, const Match& m, Value* values) {
  bool others = false;
  for (int i = 0; i < signature.count; ++i) {
    Value& value = *new (&values[i]) Value;
    const Param& p = signature.params[i];
    const int at = m.args[i];
    if (at == 0) {
      set_default(value, p);
    } else if (Tensor* const tensor = p.takes(kind_tensor) ? list.tensor(at, p) : nullptr) {
      value.type = Value::Type::tensor;
      value.tensor = tensor;
    } else if (p.takes(number_kinds) && !p.takes(kind_sizes) && list.plain_number(at, value)) {
      if (p.takes(kind_number) || make_usual_integer<List::counts_from_1>(value, p)) continue;
      value.type = Value::Type::none;
      others = true;
    } else {
      others = true;
    }
  }
  return others;
}

}  // namespace mt
