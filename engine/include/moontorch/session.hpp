// Moontorch for C++17 and later with Lua: sessions, and networks, criteria, optimisers and files through them. See moontorch/lua.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "moontorch/lua.h"
#include "moontorch/moontorch.hpp"

namespace moontorch {

using Arguments = std::initializer_list<Value>;

// A reference to a value of a session: a tensor, which may be on the tape, a list, a number; copies refer to the same one.
class Object {
 public:
  Object() = default;
  explicit Object(mt_object* owned) noexcept : handle_(owned) {}  // takes ownership of the reference
  Object(const Object& other) noexcept : handle_(mt_object_retain(other.handle_)) {}
  Object(Object&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Object() { mt_object_release(handle_); }

  mt_object* get() const noexcept { return handle_; }
  operator Value() const { return Value(mt_value_object(handle_)); }

  // Calls the object, or a method of it, and returns the first result.
  Object operator()(Arguments args, Options options = {}) const { return call_all(1, args, options)[0]; }
  template <class... Args> Object operator()(const Args&... args) const { return (*this)({Value(args)...}); }
  Object invoke(const char* method, Arguments args = {}, Options options = {}) const { return invoke_all(method, 1, args, options)[0]; }

  // The same with `results` results; missing ones are nil.
  std::vector<Object> call_all(std::size_t results, Arguments args, Options options = {}) const {
    return made(results, [&](mt_object** out) {
      const detail::Named named(options);
      const std::vector<mt_value> values(args.begin(), args.end());
      return mt_object_call(handle_, values.data(), detail::count(values), named.data(), named.count(), static_cast<std::int32_t>(results),
                            out);
    });
  }
  std::vector<Object> invoke_all(const char* method, std::size_t results, Arguments args = {}, Options options = {}) const {
    return made(results, [&](mt_object** out) {
      const detail::Named named(options);
      const std::vector<mt_value> values(args.begin(), args.end());
      return mt_object_invoke(handle_, method, values.data(), detail::count(values), named.data(), named.count(),
                              static_cast<std::int32_t>(results), out);
    });
  }

  Object operator[](const char* field) const { return got(field, 0); }
  Object operator[](const std::string& field) const { return got(field.c_str(), 0); }
  Object operator[](std::int64_t index) const { return got(nullptr, index); }  // of a list, from 1
  std::int64_t size() const {
    std::int64_t count = 0;
    check(mt_object_count(handle_, &count));
    return count;
  }

  std::int32_t kind() const { return mt_object_kind(handle_); }
  bool is_nil() const { return handle_ == nullptr || kind() == MT_NONE; }
  std::string type() const {
    char text[128];
    check(mt_object_type(handle_, sizeof text, text));
    return text;
  }
  Tensor tensor() const {  // shares its elements
    mt_tensor* out = nullptr;
    check(mt_object_tensor(handle_, &out));
    return Tensor(out);
  }
  double number() const {
    double out = 0;
    check(mt_object_number(handle_, &out));
    return out;
  }
  std::string text() const {
    std::size_t length = 0;
    check(mt_object_string(handle_, 0, nullptr, &length));
    std::string out(length + 1, '\0');
    check(mt_object_string(handle_, out.size(), &out[0], &length));
    out.resize(length);
    return out;
  }

  void backward() const { invoke("backward"); }  // of a tensor on the tape
  void save(const std::string& path) const { check(mt_object_save(handle_, path.c_str())); }

  template <class F> static std::vector<Object> made(std::size_t count, F&& call) {
    std::vector<mt_object*> handles(count, nullptr);
    std::vector<Object> objects;
    objects.reserve(count);
    check(call(handles.data()));
    for (mt_object* handle : handles) objects.emplace_back(handle);
    return objects;
  }

 private:
  Object got(const char* name, std::int64_t index) const {
    return made(1, [&](mt_object** out) { return mt_object_get(handle_, name, index, out); })[0];
  }

  mt_object* handle_ = nullptr;
};

// A network, or a part of one: net(x) is recorded if gradients are needed; forward and backward are Torch7's methods.
class Module : public Object {
 public:
  Module() = default;
  Module(Object object) : Object(std::move(object)) {}

  const Module& add(const Module& part) const {  // for containers
    invoke("add", {part});
    return *this;
  }
  Object forward(const Value& input) const { return invoke("forward", {input}); }
  Object backward(const Value& input, const Value& gradient) const { return invoke("backward", {input, gradient}); }
  Object parameters() const { return invoke("parameters"); }  // a list
  const Module& requires_grad() const {
    invoke("requiresGrad");
    return *this;
  }
  const Module& training() const {
    invoke("training");
    return *this;
  }
  const Module& evaluate() const {
    invoke("evaluate");
    return *this;
  }
};

// An optimiser of optim, for the parameters of a network.
class Optimizer : public Object {
 public:
  Optimizer(Object object) : Object(std::move(object)) {}

  void zero_grad() const { invoke("zeroGrad"); }
  void step() const { invoke("step"); }
};

// A Lua state with all packages, used by one thread at a time. Objects may outlive it; then they raise an error that it is closed.
class Session {
 public:
  Session() : Session(mt_session_options{sizeof(mt_session_options), nullptr, nullptr, 0, 0}) {}
  explicit Session(lua_State* host) : Session(mt_session_options{sizeof(mt_session_options), nullptr, host, 0, 0}) {}
  explicit Session(const mt_session_options& options) { check(mt_session_create(&options, &handle_)); }
  Session(const Session&) = delete;
  Session(Session&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Session& operator=(Session other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Session() { (void)mt_session_close(handle_); }

  mt_session* get() const noexcept { return handle_; }
  lua_State* lua() const noexcept { return mt_session_lua(handle_); }

  // Calls any op of torch.ops(), including composed ops; dimensions count from 0.
  Object call(const char* op, Arguments args, Options options = {}) const { return call_all(op, 1, args, options)[0]; }
  std::vector<Object> call_all(const char* op, std::size_t results, Arguments args, Options options = {}) const {
    return Object::made(results, [&](mt_object** out) {
      const detail::Named named(options);
      const std::vector<mt_value> values(args.begin(), args.end());
      return mt_session_call(handle_, op, values.data(), detail::count(values), named.data(), named.count(),
                             static_cast<std::int32_t>(results), out);
    });
  }
  // Calls a function or class of a package: make("nn.Linear", {3, 2}). Options become a table, the last argument.
  Object make(const char* name, Arguments args = {}, Options options = {}) const {
    return Object::made(1, [&](mt_object** out) {
      const detail::Named named(options);
      const std::vector<mt_value> values(args.begin(), args.end());
      return mt_session_make(handle_, name, values.data(), detail::count(values), named.data(), named.count(), 1, out);
    })[0];
  }
  // An optimiser of optim ("Adam", "SGD", ...) for a network's parameters, which then require gradients.
  Optimizer optimizer(const std::string& name, const Module& net, Options options = {}) const {
    return make(("optim." + name).c_str(), {net.requires_grad().parameters()}, options);
  }
  Object object(const Value& value) const {
    return Object::made(1, [&](mt_object** out) { return mt_session_object(handle_, &value, out); })[0];
  }
  Object load(const std::string& path) const {
    return Object::made(1, [&](mt_object** out) { return mt_session_load(handle_, path.c_str(), out); })[0];
  }

  void seed(std::uint64_t seed) const { check(mt_session_seed(handle_, seed)); }
  void collect() const { check(mt_session_collect(handle_)); }
  void limit(std::int64_t tensor_bytes, std::int64_t heap_bytes = 0) const { check(mt_session_limit(handle_, tensor_bytes, heap_bytes)); }
  std::int64_t tensor_bytes() const {
    std::int64_t bytes = 0;
    check(mt_session_bytes(handle_, &bytes, nullptr));
    return bytes;
  }

 private:
  mt_session* handle_ = nullptr;
};

}  // namespace moontorch
