// Moontorch for C++17 and later: the C interface with owned handles and exceptions, nothing else. See moontorch.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "moontorch/moontorch.h"

namespace moontorch {

class Error : public std::runtime_error {
 public:
  explicit Error(mt_status status) : Error(status, mt_error_message()) {}
  Error(mt_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  mt_status status() const noexcept { return status_; }

 private:
  mt_status status_;
};

inline void check(mt_status status) {
  if (status != MT_OK) throw Error(status);
}

template <class T> struct DTypeOf;
template <> struct DTypeOf<std::uint8_t> { static constexpr mt_dtype value = MT_UINT8; };
template <> struct DTypeOf<std::int8_t> { static constexpr mt_dtype value = MT_INT8; };
template <> struct DTypeOf<std::int16_t> { static constexpr mt_dtype value = MT_INT16; };
template <> struct DTypeOf<std::int32_t> { static constexpr mt_dtype value = MT_INT32; };
template <> struct DTypeOf<std::int64_t> { static constexpr mt_dtype value = MT_INT64; };
template <> struct DTypeOf<std::uint16_t> { static constexpr mt_dtype value = MT_UINT16; };
template <> struct DTypeOf<std::uint32_t> { static constexpr mt_dtype value = MT_UINT32; };
template <> struct DTypeOf<std::uint64_t> { static constexpr mt_dtype value = MT_UINT64; };
template <> struct DTypeOf<float> { static constexpr mt_dtype value = MT_FLOAT32; };
template <> struct DTypeOf<double> { static constexpr mt_dtype value = MT_FLOAT64; };

// Contiguous elements; std::span requires C++20.
template <class T> struct Span {
  T* first;
  std::size_t count;
  T* begin() const { return first; }
  T* end() const { return first + count; }
  std::size_t size() const { return count; }
  T& operator[](std::size_t i) const { return first[i]; }
};

namespace detail {

// Raises an error if a tensor's elements are not of the C++ type T.
template <class T> void expect_elements(const char* function, const mt_tensor* x) {
  const char* const own = mt_dtype_name(mt_tensor_dtype(x));
  if (own == nullptr) throw Error(MT_ERR_INVALID, std::string(function) + ": this: an empty Tensor");
  if (mt_tensor_dtype(x) == DTypeOf<T>::value) return;
  const char* const wanted = mt_dtype_name(DTypeOf<T>::value);  // NULL in a library without the type
  throw Error(MT_ERR_DTYPE, std::string(function) + ": T: " + (wanted != nullptr ? wanted : "an unknown type") + ", expected " + own);
}

}  // namespace detail

// A reference to a tensor; copies refer to the same one. An empty Tensor refers to none.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(mt_tensor* owned) noexcept : handle_(owned) {}  // takes ownership of the reference
  Tensor(mt_dtype dtype, const std::vector<std::int64_t>& sizes) {
    check(mt_tensor_create(dtype, static_cast<std::int32_t>(sizes.size()), sizes.data(), &handle_));
  }
  template <class T> static Tensor of(const std::vector<T>& values) {  // one dimension
    Tensor t(DTypeOf<T>::value, {static_cast<std::int64_t>(values.size())});
    check(mt_tensor_write(t.handle_, values.size() * sizeof(T), values.data()));
    return t;
  }
  // A tensor over the caller's memory, of `sizes` and strides in elements (none: row-major order). `deleter` is called once, in any thread,
  // when the last tensor that uses it is freed; until then the memory must stay in place.
  template <class T> static Tensor borrow(T* data, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides = {},
                                          std::function<void()> deleter = nullptr) {
    if (!strides.empty() && strides.size() != sizes.size())
      throw Error(MT_ERR_SHAPE, "Tensor::borrow: strides: " + std::to_string(strides.size()) + ", expected " +
                                    std::to_string(sizes.size()) + " as sizes");
    std::int64_t product = 1, last = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      product *= sizes[i];
      if (!strides.empty()) last += (sizes[i] - 1) * strides[i];
    }
    const std::int64_t reach = sizes.empty() || product == 0 ? 0 : strides.empty() ? product : last + 1;
    auto context = deleter ? std::make_unique<std::function<void()>>(std::move(deleter)) : nullptr;
    const auto release = [](void* held) { (*std::unique_ptr<std::function<void()>>(static_cast<std::function<void()>*>(held)))(); };
    Tensor t;
    check(mt_tensor_borrow(DTypeOf<std::remove_const_t<T>>::value, const_cast<std::remove_const_t<T>*>(data), reach,
                           static_cast<std::int32_t>(sizes.size()), sizes.data(), strides.empty() ? nullptr : strides.data(),
                           context ? +release : nullptr, context.get(), &t.handle_));
    context.release();
    return t;
  }
  // DLPack: a structure over the elements, which a consumer frees by its deleter; a tensor over another library's, which it then owns.
  ::DLManagedTensorVersioned* to_dlpack() const {
    ::DLManagedTensorVersioned* managed = nullptr;
    check(mt_tensor_to_dlpack(handle_, &managed));
    return managed;
  }
  static Tensor from_dlpack(::DLManagedTensorVersioned* managed, std::int32_t copy = MT_COPY_IF_NEEDED) {
    Tensor t;
    check(mt_tensor_from_dlpack(managed, copy, &t.handle_));
    return t;
  }
  Tensor(const Tensor& other) noexcept : handle_(mt_tensor_retain(other.handle_)) {}
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { mt_tensor_release(handle_); }

  mt_tensor* get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  mt_dtype dtype() const { return mt_tensor_dtype(handle_); }
  std::int64_t count() const { return mt_tensor_count(handle_); }
  std::vector<std::int64_t> sizes() const {
    const std::int64_t* first = mt_tensor_sizes(handle_);
    return std::vector<std::int64_t>(first, first + mt_tensor_ndim(handle_));
  }
  std::vector<std::int64_t> strides() const {
    const std::int64_t* first = mt_tensor_strides(handle_);
    return std::vector<std::int64_t>(first, first + mt_tensor_ndim(handle_));
  }
  bool is_contiguous() const { return mt_tensor_is_contiguous(handle_) != 0; }
  // The elements themselves: data<T>()[i * strides()[0] + ...], as long as the tensor lives and no op changes its sizes. (Not for temporary
  // tensors, which are freed at the end of the statement.)
  template <class T> T* data() const&& = delete;
  template <class T> T* data() const& {
    detail::expect_elements<T>("Tensor::data", handle_);
    return static_cast<T*>(mt_tensor_data(handle_));
  }
  // All elements of a contiguous tensor, for range loops, without a copy.
  template <class T> Span<T> span() const&& = delete;
  template <class T> Span<T> span() const& {
    if (!is_contiguous()) throw Error(MT_ERR_SHAPE, "Tensor::span: this: a tensor that is not contiguous; the op contiguous makes one");
    return {data<T>(), static_cast<std::size_t>(count())};
  }
  template <class T> std::vector<T> read() const {  // every element, in row-major order
    detail::expect_elements<T>("Tensor::read", handle_);
    std::vector<T> values(static_cast<std::size_t>(count()));
    check(mt_tensor_read(handle_, values.size() * sizeof(T), values.data()));
    return values;
  }

 private:
  mt_tensor* handle_ = nullptr;
};

// A value of a graph that is being built: an input, a constant, or a result of a step.
struct Ref {
  mt_ref id;
};

// One argument of an op: a tensor, a number, a text, sizes ({2, 3} or a vector), a list of tensors ({x, y} or a vector), a value of
// a graph or a list of them, or a value of mt_value_... for other C types. Refers to its source, which must outlive it.
struct Value : mt_value {
  Value() : mt_value(mt_value_none()) {}
  Value(const Tensor& x) : mt_value(mt_value_tensor(x.get())) {}
  Value(double number) : mt_value(mt_value_number(number)) {}
  template <class T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0> Value(T integer)
      : mt_value(mt_value_integer(static_cast<std::int64_t>(integer))) {}
  Value(bool boolean) : mt_value(mt_value_boolean(boolean)) {}
  Value(const char* string) : mt_value(mt_value_string(string, static_cast<std::int32_t>(std::strlen(string)))) {}
  Value(const std::string& string) : mt_value(mt_value_string(string.data(), static_cast<std::int32_t>(string.size()))) {}
  Value(const std::vector<std::int64_t>& sizes) : mt_value(mt_value_sizes(sizes.data(), static_cast<std::int32_t>(sizes.size()))) {}
  Value(std::initializer_list<std::int64_t> sizes) : mt_value(mt_value_sizes(sizes.begin(), static_cast<std::int32_t>(sizes.size()))) {}
  Value(const std::vector<Tensor>& tensors) : Value(tensors.data(), tensors.size()) {}
  Value(std::initializer_list<Tensor> tensors) : Value(tensors.begin(), tensors.size()) {}
  Value(Ref ref) : mt_value(mt_value_ref(ref.id)) {}
  Value(const std::vector<Ref>& refs) : Value(refs.data(), refs.size()) {}
  Value(std::initializer_list<Ref> refs) : Value(refs.begin(), refs.size()) {}
  Value(mt_generator* generator) : mt_value(mt_value_generator(generator)) {}
  Value(const mt_value& value) : mt_value(value) {}

 private:
  Value(const Tensor* tensors, std::size_t count) : mt_value(mt_value_none()), handles_(std::make_shared<std::vector<mt_tensor*>>()) {
    for (std::size_t i = 0; i < count; ++i) handles_->push_back(tensors[i].get());
    static_cast<mt_value&>(*this) = mt_value_tensors(handles_->data(), static_cast<std::int32_t>(count));
  }
  Value(const Ref* refs, std::size_t count) : mt_value(mt_value_none()), refs_(std::make_shared<std::vector<mt_ref>>()) {
    for (std::size_t i = 0; i < count; ++i) refs_->push_back(refs[i].id);
    static_cast<mt_value&>(*this) = mt_value_refs(refs_->data(), static_cast<std::int32_t>(count));
  }

  // Of a list: the C interface expects an array.
  std::shared_ptr<std::vector<mt_tensor*>> handles_;
  std::shared_ptr<std::vector<mt_ref>> refs_;
};

// An argument by its name: {"dim", 1}.
struct Option {
  const char* name;
  Value value;
};
using Options = std::initializer_list<Option>;

namespace detail {

inline std::int32_t count(const std::vector<mt_value>& values) { return static_cast<std::int32_t>(values.size()); }

class Named {
 public:
  explicit Named(Options options) {
    for (const Option& option : options) values_.push_back({option.name, option.value});
  }
  const mt_named_value* data() const { return values_.data(); }
  std::int32_t count() const { return static_cast<std::int32_t>(values_.size()); }

 private:
  std::vector<mt_named_value> values_;
};

inline void call(const char* op, std::initializer_list<Value> args, Options options, std::size_t count, mt_tensor** results) {
  const std::vector<mt_value> values(args.begin(), args.end());
  const std::int32_t wanted = static_cast<std::int32_t>(count);
  if (options.size() == 0) return check(mt_call(op, values.data(), detail::count(values), wanted, results));
  const Named named(options);
  check(mt_call_named(op, values.data(), detail::count(values), named.data(), named.count(), wanted, results));
}

// The tensors that `call(mt_tensor** results)` creates.
template <class F> std::vector<Tensor> made(std::size_t count, F&& call) {
  std::vector<mt_tensor*> handles(count, nullptr);
  std::vector<Tensor> results;
  results.reserve(count);
  call(handles.data());
  for (mt_tensor* handle : handles) results.emplace_back(handle);
  return results;
}

struct Free {
  void operator()(mt_graph* graph) const { mt_graph_free(graph); }
  void operator()(mt_prepared* prepared) const { mt_prepared_free(prepared); }
  void operator()(mt_onnx* model) const { mt_onnx_free(model); }
};

}  // namespace detail

// The first result of an op, in a new tensor: call("add", {x, y}), call("cat", {{x, y}, 0}), call("randn", {{2, 3}}), call("sum", {x},
// {{"dim", 1}}). Arguments are in the order of the signature or of a form, as messages show it, or have names.
inline Tensor call(const char* op, std::initializer_list<Value> args, Options options = {}) {
  mt_tensor* result = nullptr;
  detail::call(op, args, options, 1, &result);
  return Tensor(result);
}

// The first `count` results of an op, in new tensors: call_all("sort", 2, {x}) returns the values and their positions.
inline std::vector<Tensor> call_all(const char* op, std::size_t count, std::initializer_list<Value> args, Options options = {}) {
  return detail::made(count, [&](mt_tensor** results) { detail::call(op, args, options, count, results); });
}

// Writes the first result into `result`, which may be one of the arguments.
inline void call_into(const Tensor& result, const char* op, std::initializer_list<Value> args, Options options = {}) {
  mt_tensor* handle = result.get();
  if (handle == nullptr) throw Error(MT_ERR_INVALID, "call_into: result: an empty Tensor");
  detail::call(op, args, options, 1, &handle);
}

// Runs of a graph for inputs of fixed types and sizes, which allocate nothing (mt_graph_prepare). One thread at a time may use it.
class Prepared {
 public:
  Prepared() = default;
  explicit Prepared(mt_prepared* owned) noexcept : handle_(owned) {}  // takes ownership

  mt_prepared* get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // Copies tensors to the memory of the inputs, and runs. Value(), or no arguments at all: the elements that this memory has.
  template <class... Inputs> void run(const Inputs&... inputs) const {
    const mt_value values[] = {mt_value_none(), Value(inputs)...};
    check(mt_prepared_run(get(), values + 1, static_cast<std::int32_t>(sizeof...(inputs))));
  }
  // The memory from which runs read an input, and to which they write an output. The tensors may outlive the object.
  Tensor input(std::int32_t i = 0) const { return memory(mt_prepared_input, i); }
  Tensor output(std::int32_t i = 0) const { return memory(mt_prepared_output, i); }
  // Another one, for another thread; both share the weights.
  Prepared clone() const {
    mt_prepared* out = nullptr;
    check(mt_prepared_clone(get(), &out));
    return Prepared(out);
  }

 private:
  Tensor memory(mt_status (*function)(const mt_prepared*, std::int32_t, mt_tensor**), std::int32_t i) const {
    mt_tensor* out = nullptr;
    check(function(get(), i, &out));
    return Tensor(out);
  }

  std::unique_ptr<mt_prepared, detail::Free> handle_;
};

// A finished graph. Any number of threads may run one without updates at a time.
class Graph {
 public:
  Graph() = default;
  explicit Graph(mt_graph* owned) noexcept : handle_(owned) {}  // takes ownership

  // A file of g:save or th --export; see mt_graph_load.
  static Graph load(const std::string& path) {
    mt_graph* out = nullptr;
    check(mt_graph_load(path.c_str(), &out));
    return Graph(out);
  }
  // A text, with a tensor for each of its constants: parse("graph(x) { constant w return mm(x, w) }", {{"w", w}}).
  static Graph parse(const std::string& text, Options constants = {}) {
    const detail::Named named(constants);
    mt_graph* out = nullptr;
    check(mt_graph_parse(text.c_str(), named.data(), named.count(), &out));
    return Graph(out);
  }
  void save(const std::string& path) const { check(mt_graph_save(get(), path.c_str())); }
  std::string text() const {
    std::size_t length = 0;
    check(mt_graph_text(get(), 0, nullptr, &length));
    std::string out(length + 1, '\0');
    check(mt_graph_text(get(), out.size(), &out[0], nullptr));
    out.resize(length);
    return out;
  }

  mt_graph* get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // All outputs for inputs in order, in new tensors; an output that is an input or a constant shares its elements.
  std::vector<Tensor> run(std::initializer_list<Value> inputs) const {
    const std::vector<mt_value> values(inputs.begin(), inputs.end());
    return outputs(
        [&](std::int32_t count, mt_tensor** results) { return mt_graph_run(get(), values.data(), detail::count(values), count, results); });
  }
  // The same for inputs by name, in any order: run_named({{"x", x}}).
  std::vector<Tensor> run_named(Options inputs) const {
    const detail::Named named(inputs);
    return outputs(
        [&](std::int32_t count, mt_tensor** results) { return mt_graph_run_named(get(), named.data(), named.count(), count, results); });
  }
  // Prepares runs for the types and sizes of these inputs; Value(), or none at all: those that the graph declares.
  Prepared prepare(std::initializer_list<Value> inputs = {}) const {
    const std::vector<mt_value> values(inputs.begin(), inputs.end());
    mt_prepared* out = nullptr;
    check(mt_graph_prepare(get(), values.data(), detail::count(values), &out));
    return Prepared(out);
  }

 private:
  template <class F> std::vector<Tensor> outputs(F&& run) const {
    const std::int32_t count = mt_graph_output_count(get());
    return detail::made(static_cast<std::size_t>(count), [&](mt_tensor** results) { check(run(count, results)); });
  }

  std::unique_ptr<mt_graph, detail::Free> handle_;
};

// An ONNX model, which any number of threads may run at a time (mt_onnx_load).
class Onnx {
 public:
  // What a model says about an input or output.
  struct Declared {
    std::string name;
    mt_dtype dtype;                   // -1: a sequence, or not declared
    std::int32_t ndim;                // -1: any
    std::vector<std::int64_t> sizes;  // -1: any size
  };

  Onnx() = default;
  explicit Onnx(mt_onnx* owned) noexcept : handle_(owned) {}  // takes ownership

  static Onnx load(const std::string& path) {
    mt_onnx* out = nullptr;
    check(mt_onnx_load(path.c_str(), &out));
    return Onnx(out);
  }
  // The bytes of a file, which must stay valid and unchanged while the object exists.
  static Onnx read(const void* data, std::size_t bytes) {
    mt_onnx* out = nullptr;
    check(mt_onnx_read(data, bytes, &out));
    return Onnx(out);
  }

  mt_onnx* get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // The first `required()` inputs must be given to a run; the others have a default.
  std::vector<Declared> inputs() const {
    return declared(mt_onnx_input_count, mt_onnx_input_name, mt_onnx_input_dtype, mt_onnx_input_ndim, mt_onnx_input_sizes);
  }
  std::vector<Declared> outputs() const {
    return declared(mt_onnx_output_count, mt_onnx_output_name, mt_onnx_output_dtype, mt_onnx_output_ndim, mt_onnx_output_sizes);
  }
  std::int32_t required() const { return mt_onnx_required_count(get()); }
  // Text that the file holds beside the network, such as the names of classes.
  std::optional<std::string> metadata(const std::string& key) const {
    const char* const text = mt_onnx_metadata(get(), key.c_str());
    return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
  }

  // All outputs in the model's order, in new tensors: run({{"x", x}}).
  std::vector<Tensor> run(Options inputs) const {
    const detail::Named named(inputs);
    const std::int32_t count = mt_onnx_output_count(get());
    return detail::made(static_cast<std::size_t>(count),
                        [&](mt_tensor** results) { check(mt_onnx_run(get(), named.data(), named.count(), count, results)); });
  }
  // The graph for inputs like these, and a prepared run of it. `constants` have these elements in all runs.
  Graph graph(Options inputs, Options constants = {}) const { return made<Graph, mt_graph>(mt_onnx_graph, inputs, constants); }
  Prepared prepare(Options inputs, Options constants = {}) const { return made<Prepared, mt_prepared>(mt_onnx_prepare, inputs, constants); }

 private:
  template <class Handle>
  using Make = mt_status (*)(const mt_onnx*, const mt_named_value*, std::int32_t, const mt_named_value*, std::int32_t, Handle**);

  template <class Object, class Handle> Object made(Make<Handle> make, Options inputs, Options constants) const {
    const detail::Named named(inputs), fixed(constants);
    Handle* out = nullptr;
    check(make(get(), named.data(), named.count(), fixed.data(), fixed.count(), &out));
    return Object(out);
  }
  std::vector<Declared> declared(std::int32_t (*count)(const mt_onnx*), const char* (*name)(const mt_onnx*, std::int32_t),
                                 mt_dtype (*dtype)(const mt_onnx*, std::int32_t), std::int32_t (*ndim)(const mt_onnx*, std::int32_t),
                                 const std::int64_t* (*sizes)(const mt_onnx*, std::int32_t)) const {
    std::vector<Declared> list;
    for (std::int32_t i = 0; i < count(get()); ++i) {
      const std::int64_t* const first = sizes(get(), i);
      const std::int32_t dims = ndim(get(), i);
      list.push_back({name(get(), i), dtype(get(), i), dims, {}});
      if (dims > 0) list.back().sizes.assign(first, first + dims);
    }
    return list;
  }

  std::unique_ptr<mt_onnx, detail::Free> handle_;
};

class GraphBuilder;

// A graph as the body of a step of control flow.
struct Body {
  Body(const Graph& graph) : handle(graph.get()) {}
  Body(const GraphBuilder& graph);
  const mt_graph* handle;
};

// A graph that is being built: inputs, constants and steps, then outputs. Values belong to their builder.
class GraphBuilder {
 public:
  GraphBuilder() {
    mt_graph* out = nullptr;
    check(mt_graph_create(&out));
    handle_.reset(out);
  }

  mt_graph* get() const noexcept { return handle_.get(); }

  // An input of any type and sizes; nullptr: without a name.
  Ref input(const char* name = nullptr) {
    return made([&](mt_ref* out) { return mt_graph_input(get(), name, -1, 0, nullptr, out); });
  }
  // An input of a type, with sizes; -1: any size.
  Ref input(const char* name, mt_dtype dtype, const std::vector<std::int64_t>& sizes) {
    return made(
        [&](mt_ref* out) { return mt_graph_input(get(), name, dtype, static_cast<std::int32_t>(sizes.size()), sizes.data(), out); });
  }
  Ref constant(const char* name, const Tensor& x) {
    return made([&](mt_ref* out) { return mt_graph_constant(get(), name, x.get(), out); });
  }
  // The first result of a call: step("add", {x, y}), step("sum", {x}, {{"dim", 1}}). `origin` is a place in the program, for messages.
  Ref step(const char* op, std::initializer_list<Value> args, Options options = {}, const char* origin = nullptr) {
    return steps(op, 1, args, options, origin)[0];
  }
  // The first `count` results.
  std::vector<Ref> steps(const char* op, std::size_t count, std::initializer_list<Value> args, Options options = {},
                         const char* origin = nullptr) {
    const std::vector<mt_value> values(args.begin(), args.end());
    const detail::Named named(options);
    return made(count, [&](std::int32_t wanted, mt_ref* results) {
      return mt_graph_step(get(), op, values.data(), detail::count(values), named.data(), named.count(), origin, wanted, results);
    });
  }
  // The first `count` results of cond, while or scan: control("while", {{state}, {other}}, {condition, body}, 1). See mt_graph_control.
  std::vector<Ref> control(const char* op, std::initializer_list<Value> args, std::initializer_list<Body> bodies, std::size_t count,
                           const char* origin = nullptr) {
    const std::vector<mt_value> values(args.begin(), args.end());
    std::vector<const mt_graph*> handles;
    for (const Body& body : bodies) handles.push_back(body.handle);
    return made(count, [&](std::int32_t wanted, mt_ref* results) {
      return mt_graph_control(get(), op, values.data(), detail::count(values), handles.data(), static_cast<std::int32_t>(handles.size()),
                              origin, wanted, results);
    });
  }
  void output(Ref value) { check(mt_graph_output(get(), value.id)); }
  void update(Ref target, Ref value) { check(mt_graph_update(get(), target.id, value.id)); }
  // The graph, ready to run; the builder is empty then. After an error it is unchanged.
  Graph finish() {
    check(mt_graph_finish(get()));
    return Graph(handle_.release());
  }

 private:
  template <class F> static std::vector<Ref> made(std::size_t count, F&& call) {
    std::vector<mt_ref> ids(count);
    check(call(static_cast<std::int32_t>(count), ids.data()));
    std::vector<Ref> refs;
    for (const mt_ref id : ids) refs.push_back({id});
    return refs;
  }
  template <class F> static Ref made(F&& call) {
    Ref ref{};
    check(call(&ref.id));
    return ref;
  }

  std::unique_ptr<mt_graph, detail::Free> handle_;
};

inline Body::Body(const GraphBuilder& graph) : handle(graph.get()) {}

}  // namespace moontorch
