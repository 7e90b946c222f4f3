// The declaration of an op: one constexpr value from which binding, checks, help, documentation and test sweeps are derived.
#pragma once

#include <string_view>

#include "engine/core/dtype.h"
#include "engine/core/signature.h"

namespace mt {

// The dtype of a result, from the dtype all tensor arguments are promoted to.
enum class Rule : uint8_t {
  same,          // that dtype
  float_result,  // that dtype if it is a float, else the float that computes it
  real,          // that dtype, or the dtype of a complex one's parts
  complex,       // the dtype of complex numbers whose parts have that dtype
  mask,          // uint8, 0 or 1
  index,         // int64
  custom,        // the op decides
};

// The effect of the method x:op(...). Torch7 has both styles.
enum class Method : uint8_t {
  in_place,         // writes into x, and returns it
  always_in_place,  // like torch.op(x, ...): Torch7's fill, zero and scatter
  returns,          // leaves x alone
  none,             // there is no method
};

// Whether the first result shares memory with the first argument.
enum class Sharing : uint8_t {
  none,
  view,   // always: writes to one change the other
  maybe,  // if the argument already has the requested form
};

// The sizes of results.
enum class Extent : uint8_t {
  any,
  same,   // those of the first argument
  alike,  // all results have the same sizes
};

// The dtype in which autocast runs an op.
enum class Precision : uint8_t {
  as_given,  // the dtype of the tensors
  low,       // 16 bits: products, convolutions, recurrent cells
  float32,   // functions that lose much in 16 bits, sums, losses
  widest,    // the widest dtype among the tensors, instead of the first one's
};

struct Decl {
  std::string_view name;
  Signature signature;
  // The orders in which callers may pass arguments, if there are others than the signature's: names separated by spaces, orders by "|".
  // Arguments that an order does not name have their defaults.
  std::string_view forms = "";
  std::string_view method_forms = "";  // further orders, for the method alone
  Rule result = Rule::same;
  Method method = Method::in_place;
  bool passes_over = false;         // the method ignores further arguments, such as the positions in x:copy(y:max(1))
  bool scalar = false;              // a result of one element is returned as a number
  DTypeSet dtypes = number_dtypes;  // of tensors (with float_result, integers are converted)
  Sharing sharing = Sharing::none;
  // The op by which the tape replays a view, from the first argument, others, and sizes of the view, `result`: "narrow(x, dim, first,
  // size(result, dim))". Empty: it repeats the call, whose arguments it then saves.
  std::string_view replay = "";
  Extent extent = Extent::any;
  bool broadcasts = false;        // tensors of different sizes are expanded to a common one (ops with loops by element do so anyway)
  std::string_view nonzero = "";  // an argument that must not be zero in integer arithmetic
  bool data_dependent = false;    // sizes of results depend on elements
  bool crosses_devices = false;   // tensors may be on several devices; the op runs on the first one's
  bool differentiable = true;     // false: intended; the tape rejects or ignores the op (see its doc)
  double ulp = 4;                 // allowed error against the float64 reference, in units of the dtype's epsilon
  std::string_view doc = "";
  std::string_view samples = "";  // Lua: argument lists "{...}, {...}" over randn, full, range, mask, ... (lua/torch/sweep/samples.lua)
  std::string_view alias = "";    // other names, separated by spaces
  Precision precision = Precision::as_given;
};

// The dtypes in which an op computes.
constexpr DTypeSet computed_dtypes(const Decl& decl) {
  return decl.result == Rule::float_result ? float_dtypes | (decl.dtypes & complex_dtypes) : decl.dtypes;
}

// The words of messages for tensors of these dtypes.
constexpr std::string_view tensors_of(DTypeSet dtypes) {
  if (dtypes == float_dtypes) return "a tensor of floats";
  if (has_complex_dtypes && dtypes == complex_dtypes) return "a tensor of complex numbers";
  if (dtypes == integer_dtypes) return "a tensor of integers";
  return has_complex_dtypes && (dtypes & complex_dtypes) == DTypeSet() ? "a tensor of real numbers" : "a tensor of numbers";
}

// The list of a family's ops, expanded into constant tables.
template <class... Ops> struct List {};

}  // namespace mt
