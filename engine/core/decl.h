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
  mask,          // uint8, 0 or 1
  index,         // int64
  custom,        // the op decides
};

// What the method x:op(...) does. Torch7 has both styles.
enum class Method : uint8_t {
  in_place,         // writes into x, and returns it
  always_in_place,  // as does torch.op(x, ...): Torch7's fill, zero and scatter
  returns,          // leaves x alone
  none,             // there is no method
};

// Whether the first result shares memory with the first argument.
enum class Sharing : uint8_t {
  none,
  view,   // always: writes to one change the other
  maybe,  // where the argument already has the form that is asked for
};

// The sizes of results.
enum class Extent : uint8_t {
  any,
  same,   // those of the first argument
  alike,  // all results have the same sizes
};

// The dtype in which autocast runs an op.
enum class Precision : uint8_t {
  as_given,  // the one that tensors have
  low,       // 16 bits: products, convolutions, recurrent cells
  float32,   // functions that lose much in 16 bits, sums, losses
  widest,    // that of the widest tensor, where the first one would decide
};

struct Decl {
  std::string_view name;
  Signature signature;
  // The orders in which arguments may come, when the signature's own is not the only one: names separated by spaces, orders by "|".
  // Arguments that an order does not name take their defaults.
  std::string_view forms = "";
  std::string_view method_forms = "";  // further orders, for the method alone
  Rule result = Rule::same;
  Method method = Method::in_place;
  bool passes_over = false;         // the method: what follows its arguments, such as the positions in x:copy(y:max(1))
  bool scalar = false;              // one element comes out as a number
  DTypeSet dtypes = number_dtypes;  // of tensors (under float_result integers are converted)
  Sharing sharing = Sharing::none;
  // How the tape makes a view again, by an op of the first argument, of others, and of sizes of the view, `result`: "narrow(x, dim, first,
  // size(result, dim))". Empty: by the same call, whose arguments it then saves.
  std::string_view replay = "";
  Extent extent = Extent::any;
  bool broadcasts = false;        // tensors of different sizes are expanded to a common one (ops with loops by element do so anyway)
  std::string_view nonzero = "";  // an argument that must not be zero in integer arithmetic
  bool data_dependent = false;    // sizes of results depend on elements: they can't be told without them
  bool crosses_devices = false;   // tensors may be on several devices; the op runs where its first one is
  bool differentiable = true;     // false: on purpose, the tape refuses or ignores it (the doc says which)
  double ulp = 4;                 // allowed error against the float64 reference, in units of the dtype's epsilon
  std::string_view doc = "";
  std::string_view samples = "";  // Lua: argument lists "{...}, {...}" over randn, full, range, mask, ... (lua/torch/sweep/samples.lua)
  std::string_view alias = "";    // other names, separated by spaces
  Precision precision = Precision::as_given;
};

// The dtypes in which an op computes.
constexpr DTypeSet computed_dtypes(const Decl& decl) { return decl.result == Rule::float_result ? float_dtypes : decl.dtypes; }

// What messages call tensors of these dtypes.
constexpr std::string_view tensors_of(DTypeSet dtypes) {
  if (dtypes == float_dtypes) return "a tensor of floats";
  if (dtypes == integer_dtypes) return "a tensor of integers";
  return has_complex_dtypes && (dtypes & complex_dtypes) == DTypeSet() ? "a tensor of real numbers" : "a tensor of numbers";
}

// The list of a family's ops, expanded into constant tables.
template <class... Ops> struct List {};

}  // namespace mt
