// The central call of the C interface: values for an op's arguments, and results.
#include "engine/capi/call.h"

#include "engine/capi/arguments.h"
#include "engine/core/absent.h"

namespace mt::capi {
namespace {

// Returns new results as handles, to the slots that the caller left NULL.
void give_results(Tensor* fresh, uint32_t given, int32_t n_results, mt_tensor** results) {
  mt_tensor* made[Signature::max_results] = {};
  try {
    for (int r = 0; r < n_results; ++r) {
      if ((given >> r & 1) == 0) made[r] = give(std::move(fresh[r]));
    }
  } catch (...) {
    for (mt_tensor* handle : made) mt_tensor_release(handle);
    throw;
  }
  for (int r = 0; r < n_results; ++r) {
    if (made[r] != nullptr) results[r] = made[r];
  }
}

}  // namespace

const Op& op_called(const char* name, const char* function) {
  const Op* op = Registry::instance().find(&take(name, function, "name"));
  if (op == nullptr) refuse_absent(name);
  if (op == nullptr) fail(function, "name", name, ", expected the name of an op");
  return *op;
}

namespace {

// The form that arguments fit; raises an error if there is none.
const Form& form_of(const Op& op, const Arguments& given, Match& m) {
  const ArgumentOrder order(op, given);
  const Form* form = nullptr;
  if (given.count <= op.decl->signature.count) {  // others can't fit, and a position has 8 bits
    form = find_form(op, order, m, true);
    if (form == nullptr) form = find_form_omitting(op, order, m);
  }
  if (form == nullptr) refuse_list(op, order, given.count + given.named_count, expected_forms(op));
  return *form;
}

void check_arguments(const Op& op, const Arguments& given) {
  const std::string_view name = op.decl->name;
  if (given.count < 0 || (given.count > 0 && given.args == nullptr))
    refuse_argument(name, "arguments", concat(given.count, " at ", given.args == nullptr ? "NULL" : "args"), "as many as their count says");
  if (given.named_count < 0 || (given.named_count > 0 && given.named == nullptr))
    refuse_argument(name, "arguments", concat(given.named_count, " by name at ", given.named == nullptr ? "NULL" : "named"),
                    "as many as their count says");
}

}  // namespace

const Form& match_named(const Op& op, const Arguments& given, Match& m) {
  check_arguments(op, given);
  return form_of(op, given, m);
}

OpHook*& thread_hook() {
  thread_local OpHook* hook = nullptr;
  return hook;
}

namespace {

void run(const Op& op, const Arguments& given, const Match& m, int32_t n_results, mt_tensor** results, Purpose purpose) {
  const Signature& signature = op.decl->signature;
  Tensor fresh[Signature::max_results];
  Tensor* targets[Signature::max_results];
  uint32_t set = 0;
  for (int r = 0; r < signature.result_count; ++r) {
    const bool is_set = r < n_results && results[r] != nullptr;
    targets[r] = is_set ? &results[r]->tensor : &fresh[r];
    if (is_set) set |= 1u << r;
  }
  Reader reader(op, given, (set & 1) != 0 ? targets[0] : nullptr);
  reader.read(m);
  Call c{op, reader.values(), {targets, static_cast<size_t>(signature.result_count)}, set};
  c.generators = &thread_generators();
  c.hook = thread_hook();
  if (purpose == Purpose::inference) {
    c.default_device = meta_device;
    for (Value& value : c.args) {
      if (names_place(value)) name_device(value, meta_device);
    }
  }
  run_op(c);
  give_results(fresh, set, n_results, results);
}

void check_results(const Op& op, int32_t n_results, mt_tensor** results) {
  const int most = op.decl->signature.result_count;
  if (n_results < 0 || n_results > most) refuse_argument<Status::range>(op.decl->name, "results", n_results, "0..", most);
  if (n_results > 0) take(results, "mt_op_call", "results");
}

}  // namespace

void call_named(const Op& op, const Arguments& given, int32_t n_results, mt_tensor** results) {
  Match m;
  match_named(op, given, m);
  check_results(op, n_results, results);
  run(op, given, m, n_results, results, Purpose::results);
}

void call(const Op& op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results, Purpose purpose) {
  const Signature& signature = op.decl->signature;
  const Arguments given{args, n_args};
  check_arguments(op, given);
  if (n_args > signature.count)
    refuse_argument<Status::range>(op.decl->name, "arguments", concat(n_args, " of them"), "at most ", signature.count);
  check_results(op, n_results, results);
  Match m;
  if (find_form(op, ArgumentOrder::of_signature(given), m, true) == nullptr) form_of(op, given, m);
  run(op, given, m, n_results, results, purpose);
}

}  // namespace mt::capi
