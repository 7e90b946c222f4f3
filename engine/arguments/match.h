// Matches the arguments of a call with the orders in which an op accepts them. A front end describes its arguments as an ArgumentList;
// this file alone decides their kinds, which may be left out and how a list is read: for Lua, C and the programs of rules and
// formulas.
#pragma once

#include <concepts>
#include <cstring>
#include <vector>

#include "engine/core/kind.h"
#include "engine/core/registry.h"

namespace mt {

// A position in an order of arguments: an argument of the signature, or a result that the caller may set.
struct Step {
  int8_t target;  // argument of the signature, or -1 - r for result r
  bool optional;
  uint16_t kinds;
};

// An order of arguments with its results, flattened for fast matching.
struct Pattern {
  uint8_t count = 0;
  bool self_twice = false;   // x:op(...): x is both the result and the first argument
  bool passes_over = false;  // further arguments are ignored
  Step steps[Signature::max_params + Signature::max_results];

  int size() const { return count; }
  const Step& operator[](int s) const { return steps[s]; }
};

// The patterns in which Lua calls an op, as a function or as a method, in the order in which they are tried.
std::vector<Pattern> patterns_of(const Op& op, bool is_method);

// A form of an op as an order, without results.
class FormSteps {
 public:
  static constexpr bool self_twice = false, passes_over = false;
  FormSteps(const Signature& signature, const Form& form) : signature_(signature), form_(form) {}
  int size() const { return form_.count; }
  Step operator[](int s) const {
    const uint8_t i = form_.params[s];
    return {static_cast<int8_t>(i), signature_.params[i].optional, signature_.params[i].kinds};
  }

 private:
  const Signature& signature_;
  const Form& form_;
};

// The position in the argument list, from 1, of each argument of the signature, and of each result; 0 if it is left out.
struct Match {
  int8_t args[Signature::max_params];
  int8_t results[Signature::max_results];
  int last_of_sizes;  // the last of the numbers that together are sizes
};

// The functions by which a front end describes its arguments. Positions count from 1.
template <class List>
concept ArgumentList = requires(const List& list, const Step& step, int at) {
  { list.count() } -> std::same_as<int>;           // number of arguments without a name: these have the positions 1 to count
  { list.fits(at, step) } -> std::same_as<bool>;   // whether an argument has one of the step's kinds
  { list.is_left_out(at) } -> std::same_as<bool>;  // whether the argument represents an omitted one: Lua's nil
  { list.is_size(at) } -> std::same_as<bool>;      // whether it is a number that may be one of several sizes: zeros(2, 3)
  { list.named(at) } -> std::same_as<int>;         // the position of the argument that has the name of a step's target, or 0
  { list.named_count() } -> std::same_as<int>;     // number of arguments with a name that are not left out
};

// A list without names.
struct Unnamed {
  static constexpr int named(int) { return 0; }
  static constexpr int named_count() { return 0; }
};

// Returns whether a list fits an order, and sets m to the arguments' positions. An optional step accepts the next one if it fits, unless
// bit s of `omitted` is set for step s.
template <class Order, ArgumentList List>
[[gnu::always_inline]] inline bool match(const Order& order, const List& list, Match& m, uint32_t omitted = 0) {
  static_assert(sizeof m.args == 14 && sizeof m.results == 3);
  const int count = list.count();
  if (order.self_twice && (count == 0 || !list.fits(1, Step{0, false, kind_tensor}))) return false;  // it would be the result
  std::memset(&m, 0, sizeof m);
  int at = 1, named = 0;
  for (int s = 0; s < order.size(); ++s) {
    const Step& step = order[s];
    if (const int position = list.named(step.target); position != 0) {
      if (list.is_left_out(position)) {
        if (!step.optional) return false;
        continue;
      }
      if (!list.fits(position, step)) return false;
      m.args[step.target] = static_cast<int8_t>(position);
      ++named;
      continue;
    }
    const bool omit = (omitted >> s & 1) != 0;
    if (omit || at > count || !list.fits(at, step)) {
      if (!step.optional) return false;
      if (!omit && at <= count && list.is_left_out(at)) ++at;
      continue;
    }
    if (step.target < 0)
      m.results[-1 - step.target] = static_cast<int8_t>(at);
    else
      m.args[step.target] = static_cast<int8_t>(at);
    const bool one_by_one = (step.kinds & kind_sizes) != 0 && list.is_size(at);
    ++at;
    if (one_by_one) {
      while (at <= count && list.is_size(at)) ++at;
      m.last_of_sizes = at - 1;
    }
  }
  if (named != list.named_count()) return false;
  while (at <= count && list.is_left_out(at)) ++at;
  if (at <= count && !order.passes_over) return false;
  if (order.self_twice) m.results[0] = 1;
  return true;
}

// The first form of an op that a list fits, or null. Skips forms for methods unless the caller includes them.
template <ArgumentList List> const Form* find_form(const Op& op, const List& list, Match& m, bool with_methods) {
  for (const Form& form : op.forms) {
    if ((with_methods || !form.method_only) && match(FormSteps(op.decl->signature, form), list, m)) return &form;
  }
  return nullptr;
}

// The same for a list that fits no form: an optional argument may be left out even if the next value fits it, if the rest fits then.
// layerNorm_grad(g, x, mean, std) omits the optional weight before mean.
template <ArgumentList List> const Form* find_form_omitting(const Op& op, const List& list, Match& m) {
  for (const Form& form : op.forms) {
    const FormSteps steps(op.decl->signature, form);
    uint32_t optional = 0;
    for (int s = 0; s < steps.size(); ++s) optional |= steps[s].optional ? uint32_t{1} << s : 0;
    for (uint32_t omitted = optional & (0 - optional); omitted != 0; omitted = (omitted - optional) & optional) {
      if (match(steps, list, m, omitted)) return &form;
    }
  }
  return nullptr;
}

}  // namespace mt
