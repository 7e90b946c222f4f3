#include "engine/core/registry.h"

#include <algorithm>

#include "engine/core/added_ops.h"
#include "engine/core/arguments.h"
#include "engine/core/asynchronous.h"

namespace mt {
namespace {

std::string_view next_word(std::string_view& text, char separator) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return word;
}

void add_forms(std::vector<Form>& forms, const Signature& signature, std::string_view op, std::string_view text, bool method_only) {
  while (!text.empty()) {
    std::string_view order = next_word(text, '|');
    Form form;
    form.method_only = method_only;
    while (!order.empty()) {
      const std::string_view word = next_word(order, ' ');
      if (word.empty()) continue;
      const int param = signature.find(word);
      if (param < 0) fail(op, "forms", "no argument is called ", word);
      if (std::find(form.params, form.params + form.count, param) != form.params + form.count) fail(op, "forms", word, " comes twice");
      form.params[form.count++] = static_cast<uint8_t>(param);
    }
    forms.push_back(form);
  }
}

}  // namespace

std::vector<Form> parse_forms(const Signature& signature, std::string_view op, std::string_view forms, std::string_view method_forms) {
  std::vector<Form> parsed;
  if (forms.empty()) {
    Form canonical;
    for (int i = 0; i < signature.count; ++i) canonical.params[canonical.count++] = static_cast<uint8_t>(i);
    parsed.push_back(canonical);
  }
  add_forms(parsed, signature, op, forms, false);
  add_forms(parsed, signature, op, method_forms, true);
  return parsed;
}

Registry& Registry::instance() {
  static Registry& registry = [&]() -> Registry& {
    static Registry fresh;
    register_all(fresh);
    return fresh;
  }();
  return registry;
}

void Registry::add(std::string_view family, std::span<const Row> rows) {
  for (const Row& row : rows) {
    const Decl& d = *row.decl;
    ops_.push_back({row.decl, row.plan, row.kernel, nullptr, parse_forms(d.signature, d.name, d.forms, d.method_forms), row.accumulate,
                    d.broadcasts || row.by_element, family});
    by_name_.emplace(d.name, ops_.size() - 1);
    for (std::string_view aliases = d.alias; !aliases.empty();) by_name_.emplace(next_word(aliases, ' '), ops_.size() - 1);
  }
}

void Registry::add_kernel(std::string_view op, DeviceId device, const Kernel& kernel) {
  const auto found = by_name_.find(op);
  if (found == by_name_.end()) fail("kernel", "op", op, ", expected the name of an op");
  Op& entry = ops_[found->second];
  if (kernel.plan != entry.kernel.plan) fail("kernel", "plan", "the kernel of ", op, " was made for another plan than this engine's");
  if (device == cpu_device || device >= max_devices) fail("kernel", "device", static_cast<int>(device), ", expected another than the CPU");
  if (entry.elsewhere == nullptr) entry.elsewhere = elsewhere_.emplace_back().data();
  entry.elsewhere[device] = kernel;
}

const Op* Registry::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? added_op(name) : &ops_[found->second];
}

Number::operator Value() const {
  if (!is_integer_) return Value(number_);
  Value value;
  value.type = Value::Type::integer;
  value.integer = integer_;
  return value;
}

void refuse_complex_number() { fail<Status::dtype>("number", "", "a complex number, expected a real number"); }

ScalarValue element_as(const Value& value, DType dtype) {
  return dispatch<all_dtypes>(dtype, [&]<class T>(std::type_identity<T>) { return ScalarValue::of(value.as<T>()); });
}

Tensor one_element(const Value& value, DType dtype, DeviceId device) {
  Tensor one = Tensor::empty(dtype, {1}, device);
  write_element(one, 0, element_as(value, dtype));
  return one;
}

std::string_view Call::name() const { return op.decl->name; }
std::string_view Call::argument(int i) const { return op.decl->signature.params[i].name; }

int Call::dim(int i, int ndim) const {
  const int64_t d = integer(i), from_first = d < 0 ? d + ndim : d;
  if (from_first < 0 || from_first >= ndim) {
    fail_at<Status::range>(i, "dimension ", d < 0 ? d : d + 1, " out of range 1..", ndim);
  }
  return static_cast<int>(from_first);
}

Tensor Call::output(int i, DType dtype, Sizes sizes, const OutputOptions& options) const {
  Tensor& r = result(i);
  const DType computed_in = options.computed_in.value_or(dtype);
  if (!is_given(i)) {
    if (options.layout == ImageLayout::channels_first) {
      r.set_type(dtype, device);
      r.resize(name(), sizes);
    } else {
      give(i, empty_images(dtype, sizes, options.layout, device));
    }
    return computed_in == dtype ? r : empty_images(computed_in, sizes, options.layout, device);
  }
  const bool is_mask = op.decl->result == Rule::mask;
  if (r.dtype() != dtype && !is_mask) fail<Status::dtype>(name(), op.decl->signature.results[i], r.dtype(), ", expected ", dtype);
  bool shares = false;
  for (const Value& v : args) {
    if (v.is_tensor()) shares = shares || v.tensor == &r || may_overlap(r, *v.tensor);  // an empty argument would have the new sizes, too
    if (v.type == Value::Type::tensors) {
      for (int k = 0; k < v.count; ++k) shares = shares || may_overlap(r, *v.tensors[k]);
    }
  }
  if (!shares && !r.overlaps_itself()) {
    r.resize(name(), sizes);  // allocates before anything changes
    const bool converts = r.dtype() != computed_in;
    if (!converts && !options.dense) return r;
    const bool lies_so = options.layout == ImageLayout::channels_first ? r.is_contiguous() : layout_of(r) == options.layout;
    if (!converts && lies_so) return r;
  }
  return empty_images(computed_in, sizes, options.layout, device);
}

void Call::finish(int i, const Tensor& computed) const {
  Tensor& r = result(i);
  if (r.storage() != computed.storage() || r.offset() != computed.offset()) {
    r.resize(name(), computed.sizes());
    copy(r, computed);
  }
  if (is_given(i)) r.touch();
}

void Call::give(int i, Tensor view) const {
  Tensor& r = result(i);
  if (is_given(i) && r.dtype() != view.dtype()) {
    fail<Status::dtype>(name(), op.decl->signature.results[i], r.dtype(), ", expected ", view.dtype());
  }
  if (is_given(i) && r.device() != view.device()) {
    fail(name(), op.decl->signature.results[i], "a tensor on ", device_name(r.device()), ", expected ", device_name(view.device()));
  }
  const bool tracked = r.tracked();
  r = std::move(view);
  r.set_tracked(tracked);
}

void Call::refuse_positions() const {
  if (!is_given(0) || !is_float(result(0).dtype()) || tensor(0).dtype() != DType::int64) return;
  fail_at<Status::dtype>(0, DType::int64, " for a result of ", result(0).dtype(),
                         ", expected one type; parentheses take the first of several values: torch.", name(), "((x:max(1)))");
}

void Call::launch_elsewhere(PlanId id, const PlanRef& plan) const {
  const Kernel kernel = op.elsewhere != nullptr ? op.elsewhere[device] : Kernel();
  MT_ASSERT(device == meta_device || kernel.plan == id);
  try {
    mt::device(device).launch(name(), kernel, plan);
  } catch (const Error& error) {  // a kernel that lacks a dtype doesn't know the op's name
    constexpr std::string_view unnamed = "dtype: ";
    const std::string_view message = error.what();
    if (error.status() != Status::dtype || !message.starts_with(unnamed)) throw;
    raise(error.status(), concat(name(), ": ", argument(0), ": ", message.substr(unnamed.size()), " on ", device_name(device)));
  }
}

void Call::launch_recorded(PlanId id, const PlanRef& plan) const {
  if (device == cpu_device) {
    MT_ASSERT(op.kernel.plan == id);
    const RecordedStep step(name(), device, op.kernel, plan);
    op.kernel.run(plan.plan, op.kernel.data);
  } else {
    const RecordedStep step(name(), device, op.elsewhere != nullptr ? op.elsewhere[device] : Kernel(), plan);
    launch_elsewhere(id, plan);
  }
}

namespace {

// The device of a call's tensors, which must be on one device unless the op declares otherwise. Without tensors: the named device, or else
// the default.
DeviceId device_of(const Call& call) {
  DeviceId found = unresolved_device;
  int naming = -1;
  const auto look = [&](const Tensor& t, std::string_view argument) {
    const DeviceId device = t.storage() == nullptr ? settled_device(t.device()) : t.device();
    if (device == pending_device)
      fail(call.name(), argument, "a tensor whose elements an op that failed did not compute, expected elements");
    if (found == unresolved_device) found = device;
    if (found == device || call.op.decl->crosses_devices) return;
    fail(call.name(), argument, "a tensor on ", device_name(device), ", expected ", device_name(found), ", where the others are");
  };
  for (size_t i = 0; i < call.args.size(); ++i) {
    const Value& v = call.args[i];
    if (v.is_tensor()) look(*v.tensor, call.argument(static_cast<int>(i)));
    for (int k = 0; v.type == Value::Type::tensors && k < v.count; ++k) look(*v.tensors[k], call.argument(static_cast<int>(i)));
    if (names_place(v)) naming = static_cast<int>(i);
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r))) look(*call.results[r], call.op.decl->signature.results[r]);
  }
  const DeviceId beside = found == unresolved_device ? settled_device(call.default_device) : found;
  const DeviceId named = naming >= 0 ? place_of(call.args[static_cast<size_t>(naming)], beside) : beside;
  if (found == unresolved_device) return named;
  if (naming >= 0 && named != found && !call.op.decl->crosses_devices)
    call.fail_at(naming, device_name(named), ", expected ", device_name(found), ", where the result is");
  return found;
}

void check_kernel(const Call& call) {
  const Op& op = call.op;
  if (call.device == meta_device) {
    if (op.decl->data_dependent) fail(call.name(), "sizes", "they depend on elements, of which a tensor on meta has none");
    return;
  }
  const bool lacks = op.elsewhere == nullptr || op.elsewhere[call.device].run == nullptr;
  if (op.kernel.run != nullptr && lacks) {
    fail(call.name(), "device", device_name(call.device),
         ", expected a device with a kernel of this op: x:to('cpu') brings tensors to one");
  }
}

}  // namespace

void check_restricted(const Call& call) {
  const Decl& d = *call.op.decl;
  if (d.sharing == Sharing::view) return;
  const DTypeSet refused = restricted_dtypes - d.dtypes;
  const auto look = [&](DType dtype, std::string_view argument) {
    if (!refused.contains(dtype)) return;
    if (complex_dtypes.contains(dtype)) fail<Status::dtype>(d.name, argument, dtype, ", expected ", tensors_of(d.dtypes));
    fail<Status::dtype>(d.name, argument, dtype, ", a type for storage, expected ", tensors_of(d.dtypes),
                        " of a type with arithmetic: x:to('", info(arithmetic_dtype(dtype)).name, "') converts it");
  };
  for (size_t i = 0; i < call.args.size(); ++i) {
    const Value& v = call.args[i];
    const std::string_view argument = call.argument(static_cast<int>(i));
    if (v.is_tensor()) look(v.tensor->dtype(), argument);
    if (v.type == Value::Type::dtype) look(v.dtype, argument);
    if (v.type == Value::Type::element) look(static_cast<DType>(v.count), argument);
    for (int k = 0; v.type == Value::Type::tensors && k < v.count; ++k) look(v.tensors[k]->dtype(), argument);
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r))) look(call.results[r]->dtype(), d.signature.results[r]);
  }
}

void plan_op(Call& call) {
  if (call.device == unresolved_device || call.device == pending_device) call.device = device_of(call);
  if (call.device == cpu_device) return call.op.plan(call);
  check_kernel(call);
  const OpOnDevice scope(call.device, call.name());
  call.op.plan(call);
}

Tensor to_dtype(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor y = Tensor::empty(dtype, x.sizes(), x.device());
  if (x.numel() > 0) copy(y, x);
  return y;
}

Tensor clone(const Tensor& x) {
  Tensor y = Tensor::empty(x.dtype(), x.sizes(), x.device());
  if (x.numel() > 0) copy(y, x);
  return y;
}

Tensor contiguous(const Tensor& x) { return x.is_contiguous() ? x : clone(x); }

}  // namespace mt
