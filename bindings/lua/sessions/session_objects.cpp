// Objects: references from C to values of a session.
#include "bindings/lua/sessions/session_objects.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "bindings/lua/sessions/session.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/numbers.h"
#include "engine/core/registry.h"

namespace mt::lua {

NewObjects::NewObjects(Inside& inside, const char* function, int32_t count, mt_object** results) : results_(results) {
  constexpr int32_t most = 200;
  if (count < 0 || count > most) fail<Status::range>(function, "results", count, ", expected 0..", most);
  if (count > 0) capi::take(results, function, "results");
  made_.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    inside.session().references.fetch_add(1);
    made_.push_back(new mt_object{{1}, &inside.session(), LUA_NOREF});
  }
}

NewObjects::~NewObjects() {
  for (mt_object* object : made_) mt_object_release(object);
}

void NewObjects::take(lua_State* L) {
  for (size_t i = made_.size(); i > 0; --i) made_[i - 1]->reference = luaL_ref(L, LUA_REGISTRYINDEX);
}

void NewObjects::give() noexcept {
  for (size_t i = 0; i < made_.size(); ++i) results_[i] = std::exchange(made_[i], nullptr);
}

namespace {

// Pushes the value of an object, in protected mode.
template <class F> void look_at(const mt_object* object, const char* function, F&& look) {
  const mt_object& known = capi::take(object, function, "object");
  const Inside inside(known.session, function);
  protect(inside.lua(), &inside.state(), [&](lua_State* L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, known.reference);
    look(L, inside.state());
  });
}

int32_t kind_of(lua_State* L) {
  switch (lua_type(L, -1)) {
    case LUA_TNIL:
      return MT_NONE;
    case LUA_TNUMBER:
      return MT_NUMBER;
    case LUA_TBOOLEAN:
      return MT_BOOLEAN;
    case LUA_TSTRING:
      return MT_STRING;
    default:
      return test_tensor(L, -1) != nullptr ? MT_TENSOR : MT_OBJECT;
  }
}

// Pushes a method of an object, and the object.
void push_method(lua_State* L, int reference, const char* method) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  if (lua_isnil(L, -1)) luaL_error(L, "%s: object: nil, expected an object", method);
  lua_getfield(L, -1, method);
  if (lua_isnil(L, -1)) luaL_error(L, "%s: object: a %s, expected an object with this method", method, class_name(L, -2));
  lua_insert(L, -2);
}

void copy_text(std::string_view from, size_t bytes, char* text, size_t* length) {
  if (length != nullptr) *length = from.size();
  if (bytes == 0) return;
  const size_t fits = std::min(from.size(), bytes - 1);
  std::memcpy(text, from.data(), fits);
  text[fits] = '\0';
}

}  // namespace
}  // namespace mt::lua

using mt::concat;
using mt::fail;
using mt::Status;
using mt::Tensor;
using mt::capi::guard;
using mt::capi::take;
using mt::lua::Arguments;
using mt::lua::Inside;
using mt::lua::look_at;
using mt::lua::State;

mt_object* mt_object_retain(mt_object* object) {
  if (object != nullptr) object->references.fetch_add(1, std::memory_order_relaxed);
  return object;
}

// Another thread may be inside the session: the next entry drops the reference in Lua.
void mt_object_release(mt_object* object) {
  if (object == nullptr || object->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  mt_session* const session = object->session;
  if (object->reference >= 0 && session->lua.load() != nullptr) {
    (void)guard([&] {
      const std::lock_guard lock(session->dropped_lock);
      session->dropped.push_back(object->reference);
    });
  }
  delete object;
  mt::lua::release(session);
}

mt_status mt_object_call(const mt_object* object, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                         int32_t n_results, mt_object** results) {
  return guard([&] {
    constexpr const char* name = "mt_object_call";
    const mt_object& called = take(object, name, "object");
    Inside inside(called.session, name);
    const Arguments given{args, n_args, named, n_named};
    mt::lua::check_arguments(called.session, name, given);
    mt::lua::call_for_objects(inside, name, n_results, results, [&](lua_State* L) {
      mt::lua::lua_rawgeti(L, LUA_REGISTRYINDEX, called.reference);
      return mt::lua::push_arguments(L, inside.state(), given);
    });
  });
}

mt_status mt_object_invoke(const mt_object* object, const char* method, const mt_value* args, int32_t n_args, const mt_named_value* named,
                           int32_t n_named, int32_t n_results, mt_object** results) {
  return guard([&] {
    constexpr const char* name = "mt_object_invoke";
    const mt_object& called = take(object, name, "object");
    take(method, name, "method");
    Inside inside(called.session, name);
    const Arguments given{args, n_args, named, n_named};
    mt::lua::check_arguments(called.session, name, given);
    mt::lua::call_for_objects(inside, name, n_results, results, [&](lua_State* L) {
      mt::lua::push_method(L, called.reference, method);
      return 1 + mt::lua::push_arguments(L, inside.state(), given);
    });
  });
}

mt_status mt_object_get(const mt_object* object, const char* name, int64_t index, mt_object** out) {
  return guard([&] {
    constexpr const char* function = "mt_object_get";
    const mt_object& known = take(object, function, "object");
    take(out, function, "out");
    Inside inside(known.session, function);
    mt::lua::NewObjects objects(inside, function, 1, out);
    mt::lua::protect(inside.lua(), &inside.state(), [&](lua_State* L) {
      mt::lua::lua_rawgeti(L, LUA_REGISTRYINDEX, known.reference);
      if (name != nullptr)
        mt::lua::lua_pushstring(L, name);
      else
        mt::lua::push_integer(L, inside.state(), index);
      mt::lua::lua_gettable(L, -2);
      objects.take(L);
    });
    objects.give();
  });
}

int32_t mt_object_kind(const mt_object* object) {
  int32_t kind = -1;
  (void)guard([&] { look_at(object, "mt_object_kind", [&](lua_State* L, State&) { kind = mt::lua::kind_of(L); }); });
  return kind;
}

mt_status mt_object_type(const mt_object* object, size_t bytes, char* text) {
  return guard([&] {
    if (bytes > 0) take(text, "mt_object_type", "text");
    look_at(object, "mt_object_type", [&](lua_State* L, State&) { mt::lua::copy_text(mt::lua::class_name(L, -1), bytes, text, nullptr); });
  });
}

mt_status mt_object_count(const mt_object* object, int64_t* out) {
  return guard([&] {
    take(out, "mt_object_count", "out");
    look_at(object, "mt_object_count", [&](lua_State* L, State&) { *out = static_cast<int64_t>(mt::lua::lua_objlen(L, -1)); });
  });
}

mt_status mt_object_tensor(const mt_object* object, mt_tensor** out) {
  return guard([&] {
    constexpr const char* name = "mt_object_tensor";
    take(out, name, "out");
    Tensor shared;
    const char* actual = nullptr;
    double number = 0;
    bool is_number = false;
    look_at(object, name, [&](lua_State* L, State& state) {
      state.compute_pending();
      actual = mt::lua::class_name(L, -1);
      is_number = mt::lua::lua_type(L, -1) == LUA_TNUMBER;
      if (is_number) number = mt::lua::lua_tonumber(L, -1);
      if (const Tensor* t = mt::lua::test_tensor(L, -1)) {
        shared = *t;
        actual = nullptr;
      }
    });
    if (is_number) {
      shared = Tensor::empty(mt::DType::float64, {1});
      *shared.data<double>() = number;
    } else if (actual != nullptr) {
      fail(name, "object", "a ", actual, ", expected a tensor or a number");
    }
    shared.set_tracked(false);
    if (shared.storage() != nullptr) shared.storage()->share_between_threads();
    *out = mt::capi::give(std::move(shared));
  });
}

mt_status mt_object_number(const mt_object* object, double* out) {
  return guard([&] {
    constexpr const char* name = "mt_object_number";
    take(out, name, "out");
    const char* actual = nullptr;
    Tensor one;
    look_at(object, name, [&](lua_State* L, State& state) {
      state.compute_pending();
      if (const Tensor* t = mt::lua::test_tensor(L, -1); t != nullptr && t->numel() == 1)
        one = *t;
      else if (mt::lua::lua_type(L, -1) == LUA_TNUMBER)
        *out = mt::lua::lua_tonumber(L, -1);
      else
        actual = mt::lua::class_name(L, -1);
    });
    if (actual != nullptr) fail(name, "object", "a ", actual, ", expected a number or a tensor of one element");
    if (one.storage() != nullptr) *out = *to_dtype(on_host(one), mt::DType::float64).data<double>();
  });
}

mt_status mt_object_string(const mt_object* object, size_t bytes, char* text, size_t* length) {
  return guard([&] {
    constexpr const char* name = "mt_object_string";
    if (bytes > 0) take(text, name, "text");
    const char* actual = nullptr;
    look_at(object, name, [&](lua_State* L, State&) {
      size_t size = 0;
      if (mt::lua::lua_type(L, -1) == LUA_TSTRING) {
        const char* const own = mt::lua::lua_tolstring(L, -1, &size);
        mt::lua::copy_text({own, size}, bytes, text, length);
      } else {
        actual = mt::lua::class_name(L, -1);
      }
    });
    if (actual != nullptr) fail(name, "object", "a ", actual, ", expected a string");
  });
}
