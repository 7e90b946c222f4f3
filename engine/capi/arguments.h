// The arguments of a call from C, in the form for matching and conversion.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arguments/convert.h"
#include "engine/capi/call.h"

namespace mt::capi {

// The possible kinds of a value, as bits of Kind; 0 if it is left out or its kind is unknown.
uint16_t kinds_of(const mt_value& v);

// Arguments by their order and their names.
class ArgumentOrder {
 public:
  // Arguments without a name are in the order of a form. Raises an error if a name is unknown or repeated.
  ArgumentOrder(const Op& op, const Arguments& given);
  // All are in the signature's order.
  static ArgumentOrder of_signature(const Arguments& given);

  int count() const { return count_; }
  bool fits(int at, const Step& step) const { return (kinds_of(given_[at]) & step.kinds) != 0; }
  bool is_left_out(int at) const { return given_[at].kind == MT_NONE; }
  static constexpr bool is_size(int) { return false; }  // sizes are always one argument
  int named(int param) const { return positions_[static_cast<size_t>(param)]; }
  int named_count() const { return named_count_; }
  void append(std::string& text, int at) const;  // for messages

 private:
  ArgumentOrder(const Arguments& given) : given_(given) {}
  const Arguments& given_;
  int count_ = 0, named_count_ = 0;
  std::array<int8_t, Signature::max_params> positions_{};  // of the arguments with a name
};

// Converts arguments that count from 0. NULL and values out of range are errors.
class Reader {
 public:
  static constexpr bool counts_from_1 = false;
  // `target` is the first result, if the caller set it. Values are read in the order of the signature.
  Reader(const Op& op, const Arguments& given, const Tensor* target);

  void read(const Match& m);
  std::span<Value> values() { return {values_, static_cast<size_t>(op_.decl->signature.count)}; }

  std::string_view op() const { return op_.decl->name; }
  uint16_t kinds(int at) const { return kinds_of(given_[at]); }
  Tensor* tensor(int at, const Param& p) const;
  bool number(int at, Value& value) const;
  bool plain_number(int at, Value& value) const { return number(at, value); }
  Sizes sizes(int at, const Param& p) const;
  bool boolean(int at) const { return given_[at].as.boolean != 0; }
  std::string_view text(int at, const Param& p) const;
  std::optional<DType> dtype(int at, const Param& p) const;
  DType own_dtype(const Value& value) const;
  void read_element_kind(Value& value, std::string_view text, DType own, const Param& p) const;
  std::span<Tensor* const> tensors(int at, const Param& p);
  Generator* generator(int at, const Param& p) const;
  std::string_view type_name(int at) const;

 private:
  void check_list(int at, const Param& p, const void* data, int32_t most) const;

  const Op& op_;
  const Arguments& given_;
  const Tensor* target_;
  Value values_[Signature::max_params];
  std::vector<Tensor*> tensors_;  // of all lists
};

}  // namespace mt::capi
