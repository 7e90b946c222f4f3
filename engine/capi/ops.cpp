// Ops of the C interface: finding them, what they are, and the one call.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/capi/handle.h"
#include "engine/core/arguments.h"
#include "engine/core/registry.h"

using mt::DType;
using mt::fail;
using mt::Op;
using mt::Param;
using mt::Registry;
using mt::Signature;
using mt::Tensor;
using mt::Value;
using mt::capi::guard;
using mt::capi::take;

static_assert(sizeof(mt_value) == 16);
constexpr int kind_bits[][2] = {
    {MT_TENSOR, mt::kind_tensor},   {MT_NUMBER, mt::kind_number},   {MT_INTEGER, mt::kind_int},        {MT_INDEX, mt::kind_index},
    {MT_DIM, mt::kind_dim},         {MT_BOOLEAN, mt::kind_boolean}, {MT_STRING, mt::kind_string},      {MT_SIZES, mt::kind_sizes},
    {MT_TENSORS, mt::kind_tensors}, {MT_DTYPE, mt::kind_dtype},     {MT_GENERATOR, mt::kind_generator}};
static_assert(std::ranges::all_of(kind_bits, [](const auto& pair) { return pair[0] == pair[1]; }));

namespace {

const Op& engine_op(const mt_op* op) { return *reinterpret_cast<const Op*>(op); }
const mt_op* c_op(const Op* op) { return reinterpret_cast<const mt_op*>(op); }

// Names of arguments and results end with no NUL in their signatures: copies that do.
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

const char* name_of(const mt_op* op, std::vector<std::vector<std::string>> Names::*list, int32_t i) noexcept {
  const char* name = nullptr;
  if (op == nullptr) return nullptr;
  (void)guard([&] {
    static const Names names;
    const auto& of_op = (names.*list)[static_cast<size_t>(&engine_op(op) - Registry::instance().ops().data())];
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

// What parameters a value may be given for; none if its kind is not one of the kinds. Beyond the kinds' own bits: any number may be whole.
int kinds_accepted(const mt_value& v) {
  constexpr int numbers = MT_NUMBER | MT_INTEGER | MT_INDEX | MT_DIM;
  if (std::ranges::none_of(kind_bits, [&](const auto& pair) { return pair[0] == v.kind; })) return 0;
  return (v.kind & numbers) != 0 ? numbers : v.kind;
}

bool matches(const Op& op, const mt::Form& form, const mt_value* args, int32_t n_args) {
  uint32_t named = 0;
  for (int k = 0; k < form.count; ++k) {
    const int i = form.params[k];
    const Param& p = op.decl->signature.params[i];
    named |= 1u << i;
    const bool given = i < n_args && args[i].kind != MT_NONE;
    if (given ? (kinds_accepted(args[i]) & p.kinds) == 0 : !p.optional) return false;
  }
  for (int i = 0; i < n_args; ++i) {
    if (args[i].kind != MT_NONE && (named >> i & 1) == 0) return false;
  }
  return true;
}

// Arguments in the order of a form, whose optional ones may be missing anywhere, put in the signature's order; false if they don't fit it.
bool arrange(const Op& op, const mt::Form& form, const mt_value* args, int32_t n_args, mt_value* arranged) {
  const Signature& signature = op.decl->signature;
  std::fill_n(arranged, signature.count, mt_value_none());
  int32_t next = 0;
  for (int k = 0; k < form.count && next < n_args; ++k) {
    const int i = form.params[k];
    const Param& p = signature.params[i];
    const bool fits = args[next].kind == MT_NONE || (kinds_accepted(args[next]) & p.kinds) != 0;
    if (fits)
      arranged[i] = args[next++];
    else if (!p.optional)
      return false;
  }
  return next == n_args && matches(op, form, arranged, signature.count);
}

std::string_view kind_name(int32_t kind) {
  switch (kind) {
    case MT_NONE:
      return "none";
    case MT_TENSOR:
      return "tensor";
    case MT_INTEGER:
    case MT_INDEX:
    case MT_DIM:
      return "integer";
    case MT_BOOLEAN:
      return "boolean";
    case MT_STRING:
      return "string";
    case MT_SIZES:
      return "sizes";
    case MT_TENSORS:
      return "table of tensors";
    case MT_DTYPE:
      return "dtype";
    case MT_GENERATOR:
      return "generator";
    default:
      return "a value of no known kind";
  }
}

[[noreturn]] void refuse(const Op& op, const mt_value* args, int32_t n_args) {
  std::string came, expected;
  for (int i = 0; i < n_args; ++i) {
    const mt_value& v = args[i];
    if (i > 0) came += ", ";
    if (v.kind == MT_NUMBER)
      mt::append(came, v.as.number);
    else if (v.kind == MT_TENSOR && v.as.tensor != nullptr)
      mt::append(came, mt::concat(v.as.tensor->tensor.dtype(), " ", v.as.tensor->tensor.sizes()));
    else
      came += kind_name(v.kind);
  }
  for (const mt::Form& form : op.forms) {
    if (!expected.empty()) expected += " or ";
    append_form(expected, op.decl->signature, {form.params, form.count});
  }
  mt::refuse_arguments(op.decl->name, came, expected);
}

void check_list(const Op& op, const Param& p, const mt_value& v, const void* data, int32_t limit) {
  if (v.count < 0 || v.count > limit) fail(op.decl->name, p.name, "a count of ", v.count, " came, 0..", limit, " was expected");
  if (v.count > 0 && data == nullptr) fail(op.decl->name, p.name, "NULL came");
}

// Checks and converts an argument whose kind fits; lists of tensors are put at the end of `tensors`, which has room for them.
void read_value(const Op& op, const Param& p, const mt_value& v, std::vector<Tensor*>& tensors, Value& value) {
  const std::string_view name = op.decl->name;
  value.count = v.count;
  const auto not_null = [&](const void* handle) {
    if (handle == nullptr) fail(name, p.name, "NULL came");
  };
  switch (v.kind) {
    case MT_TENSOR:
      not_null(v.as.tensor);
      value.type = Value::Type::tensor;
      value.tensor = &v.as.tensor->tensor;
      return;
    case MT_NUMBER:
      value.type = Value::Type::number;
      value.number = v.as.number;
      if (!p.takes(mt::kind_number)) make_whole(value, name, p.name);
      return;
    case MT_INTEGER:
    case MT_INDEX:
    case MT_DIM:
      value.type = Value::Type::integer;
      value.integer = v.as.integer;
      return;
    case MT_BOOLEAN:
      value.type = Value::Type::boolean;
      value.boolean = v.as.boolean != 0;
      return;
    case MT_STRING:
      check_list(op, p, v, v.as.string, INT32_MAX);
      value.type = Value::Type::string;
      value.string = v.as.string;
      return;
    case MT_SIZES:
      check_list(op, p, v, v.as.sizes, mt::max_dims);
      value.type = Value::Type::sizes;
      value.sizes = v.as.sizes;
      return;
    case MT_TENSORS:
      check_list(op, p, v, v.as.tensors, INT32_MAX);
      value.type = Value::Type::tensors;
      value.tensors = tensors.data() + tensors.size();
      for (int32_t k = 0; k < v.count; ++k) {
        if (v.as.tensors[k] == nullptr) fail(name, p.name, "element ", k + 1, " is no tensor");
        tensors.push_back(&v.as.tensors[k]->tensor);
      }
      return;
    case MT_DTYPE:
      if (v.as.dtype < 0 || v.as.dtype >= mt::dtype_count) {
        fail(name, p.name, v.as.dtype, " came, 0..", mt::dtype_count - 1, " was expected");
      }
      value.type = Value::Type::dtype;
      value.dtype = static_cast<DType>(v.as.dtype);
      return;
    default:
      not_null(v.as.generator);
      value.type = Value::Type::generator;
      value.generator = &v.as.generator->generator;
  }
}

void call(const Op& op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results) {
  const Signature& signature = op.decl->signature;
  const std::string_view name = op.decl->name;
  if (n_args < 0 || (n_args > 0 && args == nullptr))
    fail(name, "arguments", n_args, " of them came at ", args == nullptr ? "NULL" : "args");
  if (n_args > signature.count) fail(name, "arguments", n_args, " came, at most ", signature.count, " were expected");
  if (n_results < 0 || n_results > signature.result_count) {
    fail(name, "results", n_results, " came, 0..", signature.result_count, " were expected");
  }
  if (n_results > 0) take(results, "mt_op_call", "results");

  bool found = false;
  for (const mt::Form& form : op.forms) found = found || matches(op, form, args, n_args);
  mt_value arranged[Signature::max_params];
  for (const mt::Form& form : op.forms) {
    if (found) break;
    found = arrange(op, form, args, n_args, arranged);
    if (!found) continue;
    args = arranged;
    n_args = signature.count;
  }
  if (!found) refuse(op, args, n_args);

  Value values[Signature::max_params];
  std::vector<Tensor*> tensors;
  size_t listed = 0;
  for (int i = 0; i < n_args; ++i) listed += args[i].kind == MT_TENSORS && args[i].count > 0 ? static_cast<size_t>(args[i].count) : 0;
  tensors.reserve(listed);
  for (int i = 0; i < signature.count; ++i) {
    if (i < n_args && args[i].kind != MT_NONE)
      read_value(op, signature.params[i], args[i], tensors, values[i]);
    else
      set_default(values[i], signature.params[i]);
  }

  Tensor fresh[Signature::max_results];
  Tensor* targets[Signature::max_results];
  uint32_t given = 0;
  for (int r = 0; r < signature.result_count; ++r) {
    const bool is_given = r < n_results && results[r] != nullptr;
    targets[r] = is_given ? &results[r]->tensor : &fresh[r];
    if (is_given) given |= 1u << r;
  }
  mt::Call c{op, {values, static_cast<size_t>(signature.count)}, {targets, static_cast<size_t>(signature.result_count)}, given};
  c.generator = &mt::capi::thread_generator();
  run_op(c);

  mt_tensor* made[Signature::max_results] = {};
  try {
    for (int r = 0; r < n_results; ++r) {
      if ((given >> r & 1) == 0) made[r] = mt::capi::give(std::move(fresh[r]));
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

int32_t mt_op_count() {
  int32_t count = 0;
  (void)guard([&] { count = static_cast<int32_t>(Registry::instance().ops().size()); });
  return count;
}

const mt_op* mt_op_at(int32_t index) {
  const bool inside = index >= 0 && index < mt_op_count();
  return inside ? c_op(&Registry::instance().ops()[static_cast<size_t>(index)]) : nullptr;
}

const mt_op* mt_op_find(const char* name) {
  const Op* op = nullptr;
  (void)guard([&] { op = name != nullptr ? Registry::instance().find(name) : nullptr; });
  return c_op(op);
}

const char* mt_op_name(const mt_op* op) { return op != nullptr ? engine_op(op).decl->name.data() : nullptr; }
const char* mt_op_doc(const mt_op* op) { return op != nullptr ? engine_op(op).decl->doc.data() : nullptr; }
int32_t mt_op_param_count(const mt_op* op) { return op != nullptr ? engine_op(op).decl->signature.count : 0; }
const char* mt_op_param_name(const mt_op* op, int32_t param) { return name_of(op, &Names::params, param); }

int32_t mt_op_param_kinds(const mt_op* op, int32_t param) {
  const Param* p = param_of(op, param);
  return p != nullptr ? p->kinds : 0;
}

int32_t mt_op_param_optional(const mt_op* op, int32_t param) {
  const Param* p = param_of(op, param);
  return p != nullptr && p->optional ? 1 : 0;
}

int32_t mt_op_result_count(const mt_op* op) { return op != nullptr ? engine_op(op).decl->signature.result_count : 0; }
const char* mt_op_result_name(const mt_op* op, int32_t result) { return name_of(op, &Names::results, result); }
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
  return guard([&] { call(engine_op(&take(op, "mt_op_call", "op")), args, n_args, n_results, results); });
}

mt_status mt_call(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results) {
  return guard([&] {
    take(name, "mt_call", "name");
    const Op* op = Registry::instance().find(name);
    if (op == nullptr) fail("mt_call", "name", name, " is no op");
    call(*op, args, n_args, n_results, results);
  });
}
