// The one call of the C interface: values against an op's signature, and results.
#include "engine/capi/call.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/absent.h"
#include "engine/core/arguments.h"

namespace mt::capi {
namespace {

static_assert(sizeof(mt_value) == 16);
constexpr int kind_bits[][2] = {
    {MT_TENSOR, kind_tensor},       {MT_NUMBER, kind_number}, {MT_INTEGER, kind_int},    {MT_INDEX, kind_index},     {MT_DIM, kind_dim},
    {MT_BOOLEAN, kind_boolean},     {MT_STRING, kind_string}, {MT_SIZES, kind_sizes},    {MT_TENSORS, kind_tensors}, {MT_DTYPE, kind_dtype},
    {MT_GENERATOR, kind_generator}, {MT_DIMS, kind_dims},     {MT_INDICES, kind_indices}};
static_assert(std::ranges::all_of(kind_bits, [](const auto& pair) { return pair[0] == pair[1]; }));

// What parameters a value may be given for; none if its kind is not one of the kinds. Beyond the kinds' own bits: any number may be whole.
int kinds_accepted(const mt_value& v) {
  constexpr int numbers = MT_NUMBER | MT_INTEGER | MT_INDEX | MT_DIM;
  if (std::ranges::none_of(kind_bits, [&](const auto& pair) { return pair[0] == v.kind; })) return 0;
  if (v.kind == MT_STRING) return MT_STRING | MT_DTYPE;  // the name of one, or of a device
  return (v.kind & numbers) != 0 ? numbers : v.kind;
}

bool matches(const Op& op, const Form& form, const mt_value* args, int32_t n_args) {
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

// Places arguments from a form's k-th parameter on. What is optional takes its argument where the rest fits then, and else does without.
bool arrange_from(const Op& op, const Form& form, int k, const mt_value* args, int32_t n_args, uint32_t named, mt_value* arranged) {
  if (n_args == 0 || k == form.count) return n_args == 0 && matches(op, form, arranged, op.decl->signature.count);
  const int i = form.params[k];
  if ((named >> i & 1) != 0) return arrange_from(op, form, k + 1, args, n_args, named, arranged);
  const Param& p = op.decl->signature.params[i];
  if (args[0].kind == MT_NONE || (kinds_accepted(args[0]) & p.kinds) != 0) {
    arranged[i] = args[0];
    if (arrange_from(op, form, k + 1, args + 1, n_args - 1, named, arranged)) return true;
    arranged[i] = mt_value_none();
  }
  return p.optional && arrange_from(op, form, k + 1, args, n_args, named, arranged);
}

// Arguments in the order of a form, whose optional ones may be missing anywhere, put in the signature's order among those that are there
// by their names (a bit each); false if they don't fit it.
bool arrange(const Op& op, const Form& form, const mt_value* args, int32_t n_args, uint32_t named, mt_value* arranged) {
  for (int i = 0; i < op.decl->signature.count; ++i) {
    if ((named >> i & 1) == 0) arranged[i] = mt_value_none();
  }
  return arrange_from(op, form, 0, args, n_args, named, arranged);
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
      append(came, v.as.number);
    else if (v.kind == MT_TENSOR && v.as.tensor != nullptr)
      append(came, concat(v.as.tensor->tensor.dtype(), " ", v.as.tensor->tensor.sizes()));
    else
      came += kind_name(v.kind);
  }
  for (const Form& form : op.forms) {
    if (!expected.empty()) expected += " or ";
    append_form(expected, op.decl->signature, {form.params, form.count});
  }
  refuse_arguments(op.decl->name, came, expected);
}

// Puts arguments that come by name in their places; gives a bit for each.
uint32_t place_named(const Op& op, const mt_named_value* named, int32_t n_named, mt_value* arranged) {
  const Signature& signature = op.decl->signature;
  const std::string_view name = op.decl->name;
  uint32_t placed = 0;
  for (int32_t k = 0; k < n_named; ++k) {
    const std::string_view wanted = named[k].name != nullptr ? named[k].name : "";
    int i = 0;
    while (i < signature.count && signature.params[i].name != wanted) ++i;
    if (i == signature.count) {
      std::string known;
      for (int p = 0; p < signature.count; ++p) append(known, concat(p > 0 ? ", " : "", signature.params[p].name));
      fail(name, "arguments", wanted, " came, which none is called: ", known);
    }
    if ((placed >> i & 1) != 0) fail(name, wanted, "it came twice");
    placed |= 1u << i;
    arranged[i] = named[k].value;
  }
  return placed;
}

[[noreturn]] void refuse_named(const Op& op, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named) {
  std::vector<mt_value> all(args, args + n_args);
  for (int32_t k = 0; k < n_named; ++k) all.push_back(named[k].value);
  refuse(op, all.data(), static_cast<int32_t>(all.size()));
}

void check_list(const Op& op, const Param& p, const mt_value& v, const void* data, int32_t limit) {
  if (v.count < 0 || v.count > limit)
    fail<Status::range>(op.decl->name, p.name, "a count of ", v.count, " came, 0..", limit, " was expected");
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
      if (!p.takes(kind_number)) make_whole(value, name, p.name);
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
      check_list(op, p, v, v.as.sizes, max_dims);
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
      if (v.as.dtype < 0 || v.as.dtype >= dtype_count) {
        fail<Status::dtype>(name, p.name, v.as.dtype, " came, 0..", dtype_count - 1, " was expected");
      }
      value.type = Value::Type::dtype;
      value.dtype = static_cast<DType>(v.as.dtype);
      value.count = 0;  // no device is named
      return;
    default:
      not_null(v.as.generator);
      value.type = Value::Type::generator;
      value.generator = &v.as.generator->generator;
  }
}

// The values of a call, and room for the lists among them.
struct Arguments {
  Value values[Signature::max_params];
  std::vector<Tensor*> tensors;
};

void read_values(const Op& op, const mt_value* args, int32_t n_args, const Tensor* given, Arguments& read) {
  const Signature& signature = op.decl->signature;
  size_t listed = 0;
  for (int i = 0; i < n_args; ++i) listed += args[i].kind == MT_TENSORS && args[i].count > 0 ? static_cast<size_t>(args[i].count) : 0;
  read.tensors.reserve(listed);
  for (int i = 0; i < signature.count; ++i) {
    const Param& p = signature.params[i];
    Value& value = read.values[i];
    if (i >= n_args || args[i].kind == MT_NONE) {
      set_default(value, p);
    } else if (args[i].kind == MT_STRING && p.takes(kind_dtype)) {
      check_list(op, p, args[i], args[i].as.string, INT32_MAX);
      const DType own = own_dtype(given, {read.values, static_cast<size_t>(i)}, DType::float64);
      read_element_kind(value, {args[i].as.string, static_cast<size_t>(args[i].count)}, own, op.decl->name, p.name);
    } else {
      read_value(op, p, args[i], read.tensors, value);
    }
  }
}

// Hands out what was made, where the caller has left room.
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
  if (op == nullptr) refuse_absent(name);
  if (op == nullptr) fail(function, "name", name, " is no op");
  return *op;
}

const Form& arrange_named(const Op& op, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                          mt_value* arranged) {
  const std::string_view name = op.decl->name;
  if (n_args < 0 || (n_args > 0 && args == nullptr))
    fail(name, "arguments", n_args, " of them came at ", args == nullptr ? "NULL" : "args");
  if (n_named < 0 || (n_named > 0 && named == nullptr))
    fail(name, "arguments", n_named, " of them came by name, at ", named == nullptr ? "NULL" : "named");
  const uint32_t placed = place_named(op, named, n_named, arranged);
  for (const Form& form : op.forms) {
    if (arrange(op, form, args, n_args, placed, arranged)) return form;
  }
  refuse_named(op, args, n_args, named, n_named);
}

OpHook*& thread_hook() {
  thread_local OpHook* hook = nullptr;
  return hook;
}

void call(const Op& op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results, Purpose purpose) {
  const Signature& signature = op.decl->signature;
  const std::string_view name = op.decl->name;
  if (n_args < 0 || (n_args > 0 && args == nullptr))
    fail(name, "arguments", n_args, " of them came at ", args == nullptr ? "NULL" : "args");
  if (n_args > signature.count) fail<Status::range>(name, "arguments", n_args, " came, at most ", signature.count, " were expected");
  if (n_results < 0 || n_results > signature.result_count) {
    fail<Status::range>(name, "results", n_results, " came, 0..", signature.result_count, " were expected");
  }
  if (n_results > 0) take(results, "mt_op_call", "results");

  bool found = false;
  for (const Form& form : op.forms) found = found || matches(op, form, args, n_args);
  mt_value arranged[Signature::max_params];
  for (const Form& form : op.forms) {
    if (found) break;
    found = arrange(op, form, args, n_args, 0, arranged);
    if (!found) continue;
    args = arranged;
    n_args = signature.count;
  }
  if (!found) refuse(op, args, n_args);

  Tensor fresh[Signature::max_results];
  Tensor* targets[Signature::max_results];
  uint32_t given = 0;
  for (int r = 0; r < signature.result_count; ++r) {
    const bool is_given = r < n_results && results[r] != nullptr;
    targets[r] = is_given ? &results[r]->tensor : &fresh[r];
    if (is_given) given |= 1u << r;
  }
  Arguments read;
  read_values(op, args, n_args, (given & 1) != 0 ? targets[0] : nullptr, read);
  Call c{op, {read.values, static_cast<size_t>(signature.count)}, {targets, static_cast<size_t>(signature.result_count)}, given};
  c.generators = &thread_generators();
  c.hook = thread_hook();
  if (purpose == Purpose::inference) {
    c.default_device = meta_device;
    for (Value& value : c.args) {
      if (names_place(value)) name_device(value, meta_device);
    }
  }
  run_op(c);
  give_results(fresh, given, n_results, results);
}

}  // namespace mt::capi
