#include "engine/core/registry.h"

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

void Registry::add(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const Decl& d = *row.decl;
    ops_.push_back({row.decl, row.run, row.kernels, parse_forms(d.signature, d.name, d.forms, d.method_forms)});
    by_name_.emplace(d.name, ops_.size() - 1);
    for (std::string_view aliases = d.alias; !aliases.empty();) by_name_.emplace(next_word(aliases, ' '), ops_.size() - 1);
  }
}

const Op* Registry::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &ops_[found->second];
}

std::string_view Call::name() const { return op.decl->name; }
std::string_view Call::argument(int i) const { return op.decl->signature.params[i].name; }

int Call::dim(int i, int ndim) const {
  const int64_t d = integer(i), from_first = d < 0 ? d + ndim : d;
  if (from_first < 0 || from_first >= ndim) {
    fail_at(i, "dimension ", d < 0 ? d : d + 1, " out of range 1..", ndim);
  }
  return static_cast<int>(from_first);
}

Tensor Call::output(int i, DType dtype, Sizes sizes) const {
  Tensor& r = result(i);
  if (!is_given(i)) {
    r.set_dtype(dtype);
    r.resize(name(), sizes);
    return r;
  }
  const std::string_view result_name = op.decl->signature.results[i];
  if (r.storage() == nullptr && r.dtype() != dtype && op.decl->result != Rule::mask) {
    fail(name(), result_name, r.dtype(), " came, ", dtype, " was expected");
  }
  bool shares = r.dtype() != dtype;
  if (shares && op.decl->result != Rule::mask) fail(name(), result_name, r.dtype(), " came, ", dtype, " was expected");
  for (const Value& v : args) {
    if (v.is_tensor()) shares = shares || v.tensor == &r || may_overlap(r, *v.tensor);  // an empty one would see the new sizes
    if (v.type == Value::Type::tensors) {
      for (int k = 0; k < v.count; ++k) shares = shares || may_overlap(r, *v.tensors[k]);
    }
  }
  if (shares || r.overlaps_itself()) return Tensor::empty(dtype, sizes);
  r.resize(name(), sizes);
  return r;
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
    fail(name(), op.decl->signature.results[i], r.dtype(), " came, ", view.dtype(), " was expected");
  }
  const bool tracked = r.tracked();
  r = std::move(view);
  r.set_tracked(tracked);
}

void Call::refuse_positions() const {
  if (!is_given(0) || !is_float(result(0).dtype()) || tensor(0).dtype() != DType::int64) return;
  fail_at(0, DType::int64, " came for a result of ", result(0).dtype(),
          ", one type was expected; parentheses take the first of several values: torch.", name(), "((x:max(1)))");
}

void run_op(Call& call) { call.op.run(call); }

Tensor to_dtype(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor y = Tensor::empty(dtype, x.sizes());
  if (x.numel() > 0) copy(y, x);
  return y;
}

Tensor clone(const Tensor& x) {
  Tensor y = Tensor::empty(x.dtype(), x.sizes());
  if (x.numel() > 0) copy(y, x);
  return y;
}

Tensor contiguous(const Tensor& x) { return x.is_contiguous() ? x : clone(x); }

}  // namespace mt
