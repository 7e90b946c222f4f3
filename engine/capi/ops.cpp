// Ops of the C interface: finding them, and their properties.
#include <string>
#include <vector>

#include "engine/capi/call.h"
#include "engine/core/added_ops.h"
#include "engine/extension/op.h"

using mt::Op;
using mt::Param;
using mt::Registry;
using mt::Signature;
using mt::capi::guard;
using mt::capi::take;

namespace {

const Op& engine_op(const mt_op* op) { return *reinterpret_cast<const Op*>(op); }
const mt_op* c_op(const Op* op) { return reinterpret_cast<const mt_op*>(op); }

// Names of arguments and results are not terminated by NUL in signatures: these copies are.
struct Names {
  std::vector<std::vector<std::string>> params, results;

  Names() {
    for (const Op& op : Registry::instance().ops()) {
      const Signature& s = op.decl->signature;
      auto& p = params.emplace_back();
      for (int i = 0; i < s.count; ++i) p.emplace_back(s.params[i].name);
      results.emplace_back(s.results, s.results + s.result_count);
    }
  }
};

using NameLists = std::vector<std::vector<std::string>>;

const char* name_of(const mt_op* op, NameLists Names::*list, std::vector<std::string> mt::ExtensionOp::*own, int32_t i) noexcept {
  const char* name = nullptr;
  if (op == nullptr) return nullptr;
  (void)guard([&] {
    static const Names names;
    const mt::ExtensionOp* added = mt::extension_op(engine_op(op));
    const auto& of_op =
        added != nullptr ? added->*own : (names.*list)[static_cast<size_t>(&engine_op(op) - Registry::instance().ops().data())];
    if (i >= 0 && static_cast<size_t>(i) < of_op.size()) name = of_op[static_cast<size_t>(i)].c_str();
  });
  return name;
}

const Param* param_of(const mt_op* op, int32_t i) {
  if (op == nullptr) return nullptr;
  const Signature& s = engine_op(op).decl->signature;
  return i >= 0 && i < s.count ? &s.params[i] : nullptr;
}

const mt::Form* form_of(const mt_op* op, int32_t form) {
  if (op == nullptr) return nullptr;
  const auto& forms = engine_op(op).forms;
  return form >= 0 && static_cast<size_t>(form) < forms.size() ? &forms[static_cast<size_t>(form)] : nullptr;
}

}  // namespace

int32_t mt_op_count() {
  int32_t count = 0;
  (void)guard([&] { count = mt::op_count(); });
  return count;
}

const mt_op* mt_op_at(int32_t index) {
  const Op* op = nullptr;
  (void)guard([&] { op = mt::op_at(index); });
  return c_op(op);
}

const mt_op* mt_op_find(const char* name) {
  const Op* op = nullptr;
  (void)guard([&] { op = name != nullptr ? Registry::instance().find(name) : nullptr; });
  return c_op(op);
}

const char* mt_op_name(const mt_op* op) { return op != nullptr ? engine_op(op).decl->name.data() : nullptr; }
const char* mt_op_doc(const mt_op* op) { return op != nullptr ? engine_op(op).decl->doc.data() : nullptr; }
int32_t mt_op_param_count(const mt_op* op) { return op != nullptr ? engine_op(op).decl->signature.count : 0; }
const char* mt_op_param_name(const mt_op* op, int32_t param) { return name_of(op, &Names::params, &mt::ExtensionOp::arguments, param); }

int32_t mt_op_param_kinds(const mt_op* op, int32_t param) {
  const Param* p = param_of(op, param);
  return p != nullptr ? p->kinds : 0;
}

int32_t mt_op_param_optional(const mt_op* op, int32_t param) {
  const Param* p = param_of(op, param);
  return p != nullptr && p->optional ? 1 : 0;
}

int32_t mt_op_result_count(const mt_op* op) { return op != nullptr ? engine_op(op).decl->signature.result_count : 0; }
int32_t mt_op_data_dependent(const mt_op* op) { return op != nullptr && engine_op(op).decl->data_dependent ? 1 : 0; }
const char* mt_op_result_name(const mt_op* op, int32_t result) { return name_of(op, &Names::results, &mt::ExtensionOp::results, result); }
int32_t mt_op_form_count(const mt_op* op) { return op != nullptr ? static_cast<int32_t>(engine_op(op).forms.size()) : 0; }

int32_t mt_op_form_size(const mt_op* op, int32_t form) {
  const mt::Form* f = form_of(op, form);
  return f != nullptr ? f->count : -1;
}

int32_t mt_op_form_param(const mt_op* op, int32_t form, int32_t i) {
  const mt::Form* f = form_of(op, form);
  return f != nullptr && i >= 0 && i < f->count ? f->params[i] : -1;
}

mt_status mt_op_call(const mt_op* op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results) {
  return guard([&] { mt::capi::call(engine_op(&take(op, "mt_op_call", "op")), args, n_args, n_results, results); });
}

mt_status mt_call_named(const char* name, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                        int32_t n_results, mt_tensor** results) {
  return guard([&] {
    const mt::Op& op = mt::capi::op_called(name, "mt_call_named");
    mt::capi::call_named(op, {args, n_args, named, n_named}, n_results, results);
  });
}

mt_status mt_call(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results) {
  return guard([&] { mt::capi::call(mt::capi::op_called(name, "mt_call"), args, n_args, n_results, results); });
}
