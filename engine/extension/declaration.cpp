// Declarations of libraries: conversion and validation.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <ranges>
#include <span>

#include "engine/core/added_ops.h"
#include "engine/core/decl_names.h"
#include "engine/extension/op.h"
#include "engine/ops/pointwise.h"

namespace mt {
namespace {

static_assert(MT_OP_MAX_ARGS == Signature::max_params && MT_OP_MAX_RESULTS == Signature::max_results && MT_OP_MAX_DIMS == max_dims);
constexpr size_t library_dtypes = std::popcount(ordered_dtypes.bits);
static_assert(sizeof(mt_op_loops) == library_dtypes * sizeof(mt_op_loop_fn) &&
              sizeof(mt_op_kernels) == library_dtypes * sizeof(mt_op_kernel_fn));

constexpr size_t longest_name = 64;

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && text.size() <= longest_name && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::ranges::all_of(text, fits);
}

// Raises an error about a field of a declaration.
struct Complaint {
  const char* function;
  std::string_view op;

  template <class... Parts> [[noreturn]] void operator()(std::string_view field, const Parts&... parts) const {
    fail(function, op, field, ": ", parts...);
  }
};

std::string_view text(const char* given) { return given != nullptr ? given : ""; }

template <class E> E choice(const Complaint& wrong, const char* field, const char* given, std::span<const std::string_view> names) {
  const std::string_view word = text(given);
  if (word.empty()) return E{};
  std::string known;
  for (int i = 0; const std::string_view name : names) {
    if (name == word) return static_cast<E>(i);
    known.append(i++ > 0 ? ", " : "").append(name);
  }
  wrong(field, word, ", expected one of ", known);
}

// Refuses what the parser accepts but the engine does not support.
void check_argument(const Complaint& wrong, const Signature& signature, int i, bool by_element) {
  const Param& p = signature.params[i];
  const auto say = [&](const char* what) { wrong("signature", "argument ", i + 1, ", '", p.name, "': ", what); };
  if (!is_name(p.name)) say("its name is invalid, expected letters, digits and _");
  if (signature.find(p.name) != i) say("its name comes twice");
  if (p.kinds == 0) say("it has no kind");
  if (p.takes(kind_dtype | kind_generator)) say("dtype and generator are kinds of the engine's own ops");
  if (by_element && (p.kinds & ~(kind_tensor | kind_number)) != 0) say("an op with loops takes tensors and numbers");
  if (by_element && p.optional && !p.has_default) say("an op with loops has no argument without a value");
  if (!p.has_default) return;
  constexpr uint16_t numbers = kind_number | kind_int | kind_index | kind_dim | kind_boolean;
  if (p.takes(kind_sizes | kind_tensors) || !p.takes(numbers | kind_string)) say("its kind has no default");
  if (!p.takes(kind_string) && !p.default_text.empty()) say("its default is no number");
}

Signature read_signature(const Complaint& wrong, const char* given, bool by_element) {
  const std::string_view all = text(given);
  if (all.empty()) wrong("signature", "none, expected \"[res] ...\"");
  for (const std::string_view bad : {"= ", "=|"}) {
    if (all.find(bad) != std::string_view::npos || all.ends_with('=')) wrong("signature", "a default is empty in \"", all, "\"");
  }
  Signature signature;
  try {
    signature = Signature(all);
  } catch (const char* problem) {
    wrong("signature", problem, " in \"", all, "\"");
  }
  if (signature.result_count == 0) wrong("signature", "it has no result: expected \"[res] ...\"");
  if (by_element && signature.result_count > 1) wrong("signature", "an op with loops has one result");
  for (int i = 0; i < signature.result_count; ++i) {
    if (!is_name(signature.results[i])) wrong("signature", "a result's name is none: '", signature.results[i], "'");
  }
  bool tensors = false;
  for (int i = 0; i < signature.count; ++i) {
    check_argument(wrong, signature, i, by_element);
    tensors = tensors || signature.params[i].takes(kind_tensor);
  }
  if (by_element && !tensors) wrong("signature", "an op with loops takes a tensor");
  return signature;
}

// Checks that each order has all mandatory arguments.
void check_forms(const Complaint& wrong, const Signature& signature, const std::vector<Form>& forms) {
  for (const Form& form : forms) {
    for (int i = 0; i < signature.count; ++i) {
      const bool named = std::find(form.params, form.params + form.count, i) != form.params + form.count;
      if (!named && !signature.params[i].optional) wrong("forms", "an order lacks ", signature.params[i].name, ", which has no default");
    }
  }
}

// Checks the dtypes of the functions: each kind of number needs a function at least for its widest type.
void check_functions(const Complaint& wrong, const ExtensionOp& op, const char* field) {
  const auto any_of = [&](std::initializer_list<DType> types) { return std::ranges::any_of(types, [&](DType d) { return op.has(d); }); };
  if (any_of({DType::float16, DType::bfloat16, DType::float32}) && !op.has(DType::float64))
    wrong(field, "it accepts floats but has no float64 function, which computes the dtypes without one");
  if (any_of({DType::uint8, DType::int8, DType::int16, DType::int32}) && !op.has(DType::int64))
    wrong(field, "it accepts integers but has no int64 function, which computes the dtypes without one");
  if (!op.has(DType::float64) && !op.has(DType::int64)) wrong(field, "none for float64 or int64, expected one of them at least");
  if (op.own.result == Rule::float_result && !op.has(DType::float64)) wrong(field, "a result of floats needs one for float64");
}

void check_view(const Complaint& wrong, const ExtensionOp& op) {
  const Signature& signature = op.own.signature;
  if (op.by_element) wrong("loops", "loops for a view, expected a plan alone");
  if (std::ranges::any_of(op.kernels, [](auto* f) { return f != nullptr; })) wrong("kernels", "kernels for a view, expected a plan alone");
  if (op.own.result != Rule::same) wrong("result", op.declared.result, " for a view, expected same");
  if (signature.result_count != 1) wrong("signature", "a view is one result");
  if (signature.count == 0 || signature.params[0].kinds != kind_tensor) wrong("signature", "a view's first argument is a tensor");
}

void check_adding(const Complaint& wrong, const ExtensionOp& op) {
  for (size_t i = 0; i < op.adding.size(); ++i) {
    if (op.adding[i] != nullptr && op.kernels[i] == nullptr) wrong("accumulate", static_cast<DType>(i), ", expected a dtype with a kernel");
    if (op.adding[i] != nullptr && op.own.signature.result_count != 1)
      wrong("accumulate", "a kernel for several results, expected one result");
  }
}

}  // namespace

std::unique_ptr<ExtensionOp> make_op(const mt_op_decl& declared, const char* function) {
  const Complaint wrong{function, is_name(text(declared.name)) ? text(declared.name) : "an op"};
  if (!is_name(text(declared.name)))
    wrong("name", "'", text(declared.name).substr(0, longest_name), "', expected letters, digits and _, at most ", longest_name);
  if (Registry::instance().find(declared.name) != nullptr) wrong("name", "there is an op of this name already");
  auto op = std::make_unique<ExtensionOp>();
  op->declared = declared;
  std::memcpy(op->loops.data(), &declared.loops, sizeof declared.loops);
  std::memcpy(op->kernels.data(), &declared.kernels, sizeof declared.kernels);
  std::memcpy(op->adding.data(), &declared.accumulate, sizeof declared.accumulate);
  const auto given = [](const auto& functions) { return std::ranges::any_of(functions, [](auto* f) { return f != nullptr; }); };
  op->by_element = given(op->loops);
  if (op->by_element && (declared.plan != nullptr || given(op->kernels)))
    wrong("loops", "loops and a plan or kernels, expected one of them");
  if (!op->by_element && declared.plan == nullptr)
    wrong("plan", given(op->kernels) ? "kernels without a plan, expected both" : "none, expected a plan or loops");

  Decl& own = op->own;
  own.name = declared.name;
  own.signature = read_signature(wrong, declared.signature, op->by_element);
  own.forms = text(declared.forms);
  own.doc = text(declared.doc);
  own.samples = text(declared.samples);
  own.result = choice<Rule>(wrong, "result", declared.result, rule_names);
  if (op->by_element && (own.result == Rule::index || own.result == Rule::custom))
    wrong("result", declared.result, " with loops, expected a type that does not depend on the values");
  constexpr std::string_view methods[] = {"inPlace", "returns", "none"};
  constexpr Method meanings[] = {Method::in_place, Method::returns, Method::none};
  const char* method = text(declared.method).empty() ? "returns" : declared.method;
  own.method = meanings[choice<int>(wrong, "method", method, methods)];
  own.differentiable = (declared.flags & MT_OP_NOT_DIFFERENTIABLE) == 0;
  constexpr uint32_t known_flags = MT_OP_STRIDED | MT_OP_NOT_DIFFERENTIABLE | MT_OP_VIEW | MT_OP_BROADCASTS | MT_OP_SAME_SIZES;
  if ((declared.flags & ~known_flags) != 0) wrong("flags", static_cast<int64_t>(declared.flags), ", expected flags of this version");
  if (!(declared.ulp >= 0 && declared.ulp < 1e18)) wrong("ulp", declared.ulp, ", expected a number from 0 on");
  if (declared.ulp > 0) own.ulp = declared.ulp;
  own.precision = choice<Precision>(wrong, "precision", declared.precision, precision_names);
  own.broadcasts = op->by_element || (declared.flags & MT_OP_BROADCASTS) != 0;
  if ((declared.flags & MT_OP_SAME_SIZES) != 0) own.extent = Extent::same;
  if (op->is_view()) {
    check_view(wrong, *op);
    own.sharing = Sharing::view;
    own.dtypes = all_dtypes;
  } else {
    check_functions(wrong, *op, op->by_element ? "loops" : "kernels");
    own.dtypes = op->has(DType::float64) ? float_dtypes : DTypeSet();
    if (own.result == Rule::float_result || op->has(DType::int64)) own.dtypes = own.dtypes | integer_dtypes;
    if (own.result == Rule::mask) own.dtypes = own.dtypes | boolean_dtype;
  }
  check_adding(wrong, *op);
  for (int i = own.signature.count; i < MT_OP_MAX_ARGS; ++i) {
    if (declared.gradients[i] != nullptr)
      wrong("gradients", "number ", i + 1, ", expected at most ", own.signature.count, ", one for each argument");
  }
  for (int i = 0; i < own.signature.count; ++i) {
    const auto is_odd = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
    if (std::ranges::any_of(text(declared.gradients[i]), is_odd)) wrong("gradients", "number ", i + 1, " is no expression");
  }
  for (int i = 0; i < own.signature.count; ++i) op->arguments.emplace_back(own.signature.params[i].name);
  for (int i = 0; i < own.signature.result_count; ++i) op->results.emplace_back(own.signature.results[i]);

  op->decl = &own;
  op->forms = parse_forms(own.signature, own.name, own.forms, "");
  check_forms(wrong, own.signature, op->forms);
  op->broadcasts = own.broadcasts;
  if (given(op->adding)) op->accumulate = &accumulate_extension;
  if (op->is_view()) {
    op->plan = &plan_extension_view;
    return op;
  }
  op->plan = op->by_element ? &plan_pointwise : &plan_extension;
  op->kernel = op->by_element ? loop_kernel(*op) : extension_kernel();
  return op;
}

const ExtensionOp* extension_op(const Op& op) { return is_added(op) ? static_cast<const ExtensionOp*>(&op) : nullptr; }

std::optional<DType> computed_in(const ExtensionOp& op, DType dtype) {
  if (op.has(dtype)) return dtype;
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
      return computed_in(op, DType::float32);
    case DType::float32:
      return computed_in(op, DType::float64);
    case DType::boolean:  // the dtype of arguments if the result is a mask
      if (!op.has(DType::int64)) return computed_in(op, DType::float64);
      [[fallthrough]];
    case DType::uint8:
    case DType::int8:
    case DType::int16:
    case DType::int32:
      return computed_in(op, DType::int64);
    default:
      return std::nullopt;
  }
}

}  // namespace mt
