#include "bindings/lua/profile/fault_finder.h"

#include <algorithm>
#include <cmath>

namespace mt::lua {
namespace {

// An op without a kernel changes geometry, copies or fills: its elements are those of its arguments, unless it converts them.
bool computes(const Call& call) {
  if (call.op.kernel.run != nullptr || call.op.elsewhere != nullptr) return true;
  const auto differs = [&](const Value& value) {
    return value.is_tensor() && is_float(value.tensor->dtype()) && value.tensor->dtype() != call.result(0).dtype();
  };
  return !call.results.empty() && std::ranges::any_of(call.args, differs);
}

Nonfinite nonfinite_in(double x) { return std::isnan(x) ? Nonfinite::nan : std::isinf(x) ? Nonfinite::infinity : Nonfinite::none; }

Nonfinite nonfinite_in(const Value& value) {
  Nonfinite worst = Nonfinite::none;
  if (value.is_tensor()) return mt::nonfinite_in(*value.tensor);
  if (value.type == Value::Type::number) return nonfinite_in(value.number);
  if (value.type == Value::Type::tensors) {
    for (int i = 0; i < value.count; ++i) worst = std::max(worst, mt::nonfinite_in(*value.tensors[i]));
  }
  return worst;
}

// Whether the call writes into memory of an argument. An op without results, an optimiser's step, writes into its lists.
bool is_overwritten(const Call& call, const Value& value) {
  if (value.type == Value::Type::tensors) return call.results.empty();
  if (!value.is_tensor()) return false;
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r)) && call.results[r]->storage() == value.tensor->storage()) return true;
  }
  return false;
}

}  // namespace

void FaultFinder::begin(bool infinities) {
  fault_.reset();
  in_graph_.reset();
  graphs_ = 0;
  infinities_ = infinities;
  is_on_ = true;
}

void FaultFinder::run(Call& call) {
  if (!is_on_ || fault_ || in_graph_) return plan_op(call);
  const Place place = places_.of(*call.op.decl);
  Nonfinite before[Signature::max_params] = {};
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (is_overwritten(call, call.args[i])) before[i] = nonfinite_in(call.args[i]);
  }
  plan_op(call);
  if (!fault_ && !in_graph_ && computes(call)) inspect(call, place, before);
}

void FaultFinder::end_graph(std::span<const Tensor* const> outputs) {
  if (graphs_ > 0) --graphs_;
  if (graphs_ > 0 || !in_graph_) return;
  const auto is_faulty = [&](const Tensor* t) { return is_fault(mt::nonfinite_in(*t)); };
  if (std::ranges::any_of(outputs, is_faulty)) {
    fault_ = std::move(in_graph_);
    refuse();
  }
  in_graph_.reset();
}

void FaultFinder::fail_graph() {
  if (graphs_ > 0) --graphs_;
  if (graphs_ == 0) in_graph_.reset();
}

void FaultFinder::refuse() const {
  fail(fault_->op->name, fault_->result, fault_->kind == Nonfinite::nan ? "NaN" : "an infinity", ", expected finite elements");
}

void FaultFinder::inspect(const Call& call, const Place& place, std::span<const Nonfinite> before) {
  const Signature& signature = call.op.decl->signature;
  for (size_t r = 0; r < call.results.size(); ++r) note(call, place, before, mt::nonfinite_in(*call.results[r]), signature.results[r]);
  if (!call.results.empty()) return;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (!is_overwritten(call, call.args[i])) continue;
    const Nonfinite kind = nonfinite_in(call.args[i]);
    if (kind > before[i]) note(call, place, before, kind, signature.params[i].name);
  }
}

// Notes that a result has a fault, unless it is none.
void FaultFinder::note(const Call& call, const Place& place, std::span<const Nonfinite> before, Nonfinite kind, std::string_view result) {
  if (!is_fault(kind) || in_graph_) return;
  int inherited = -1;
  for (size_t i = 0; i < call.args.size() && inherited < 0; ++i) {
    const Value& value = call.args[i];
    if ((is_overwritten(call, value) ? before[i] : nonfinite_in(value)) >= kind) inherited = static_cast<int>(i);
  }
  // Infinities that the program uses, for example in masks, are no fault.
  if (inherited >= 0 && (kind == Nonfinite::infinity || call.op.kernel.run == nullptr)) return;
  (graphs_ > 0 ? in_graph_ : fault_) = Fault{call.op.decl, kind, result, inherited, place, places_.stack()};
  if (fault_) refuse();
}

}  // namespace mt::lua
