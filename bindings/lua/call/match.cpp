#include "bindings/lua/call/match.h"

#include <cstring>

#include "bindings/lua/values/generators.h"
#include "engine/core/arguments.h"

namespace mt::lua {

uint16_t kinds_of(lua_State* L, int index) {
  constexpr int cdata = 10;  // LuaJIT's type of FFI objects
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      return kind_boolean;
    case LUA_TSTRING:
      return static_cast<uint16_t>(kind_string | kind_dtype | (lua_isnumber(L, index) ? any_number : 0));
    case LUA_TTABLE:
      return is_class(L, index) ? 0 : kind_sizes | kind_tensors;
    case LUA_TUSERDATA:
      if (test_storage(L, index) != nullptr) return kind_sizes;
      if (is_generator(L, index)) return kind_generator;
      return 0;
    case cdata:
      return any_number;
    default:
      return 0;
  }
}

bool match(lua_State* L, const Pattern& pattern, const uint16_t* kinds, int count, Match& m) {
  static_assert(sizeof m.args == 14 && sizeof m.results == 3);
  if (pattern.self_twice && (count == 0 || (kinds[1] & kind_tensor) == 0)) return false;  // it would be the result
  std::memset(&m, 0, sizeof m);
  int at = 1;
  for (int s = 0; s < pattern.count; ++s) {
    const Step& step = pattern.steps[s];
    const bool fits = at <= count && (kinds[at] & step.kinds) != 0;
    if (!fits) {
      if (!step.optional) return false;
      if (at <= count && lua_isnil(L, at)) ++at;  // an explicit nil stands for what is left out
      continue;
    }
    if (step.target < 0)
      m.results[-1 - step.target] = static_cast<int8_t>(at);
    else
      m.args[step.target] = static_cast<int8_t>(at);
    const bool one_by_one = (step.kinds & kind_sizes) != 0 && (kinds[at] & kind_number) != 0;
    ++at;
    if (one_by_one) {
      while (at <= count && (kinds[at] & kind_number) != 0) ++at;
      m.last_of_sizes = at - 1;
    }
  }
  while (at <= count && lua_isnil(L, at)) ++at;
  if (at <= count && !pattern.passes_over) return false;
  if (pattern.self_twice) m.results[0] = 1;
  return true;
}

namespace {

void append_lua_value(lua_State* L, std::string& text, int index, const char* name) {
  if (const Tensor* t = test_tensor(L, index))
    append(text, concat(type_name(*t), " ", t->sizes()));
  else if (const StoragePtr* s = test_storage(L, index))
    append(text, type_name(*s->get()));
  else if (lua_type(L, index) == LUA_TNUMBER)
    append(text, lua_tonumber(L, index));
  else
    append(text, name);
}

}  // namespace

void refuse(lua_State* L, const BoundOp& bound, int count) {
  const char* names[max_args + 1];
  for (int i = 1; i <= count; ++i) names[i] = class_name(L, i);
  guarded(L, *bound.state, [&] {
    std::string came, expected;
    for (int i = 1; i <= count; ++i) {
      if (i > 1) came += ", ";
      append_lua_value(L, came, i, names[i]);
    }
    const auto list = [&](bool with_result) {
      for (const Pattern& p : bound.patterns) {
        if ((p.steps[0].target < 0) != with_result) continue;
        uint8_t params[Signature::max_params];
        uint8_t listed = 0;
        for (int s = 0; s < p.count; ++s) {
          if (p.steps[s].target >= 0) params[listed++] = static_cast<uint8_t>(p.steps[s].target);
        }
        if (!expected.empty()) expected += " or ";
        if (with_result) append(expected, concat("x:", bound.op->decl->name));
        append_form(expected, bound.op->decl->signature, {params, listed});
      }
    };
    list(false);
    if (expected.empty()) list(true);  // such as x:exponential(lambda); elsewhere these forms say nothing new
    refuse_arguments(bound.op->decl->name, came, expected);
  });
  std::abort();
}

std::vector<Pattern> patterns_of(const Op& op, bool is_method) {
  const Signature& signature = op.decl->signature;
  const bool in_place = op.decl->method == Method::always_in_place || (is_method && op.decl->method == Method::in_place);
  std::vector<Pattern> patterns;
  const auto flatten = [&](const Form& form, bool with_results, bool self_twice) {
    Pattern p;
    p.self_twice = self_twice;
    p.passes_over = self_twice && op.decl->passes_over;
    if (with_results) {
      for (int r = 0; r < signature.result_count; ++r) p.steps[p.count++] = {static_cast<int8_t>(-1 - r), r > 0, kind_tensor};
    }
    for (int i = 0; i < form.count; ++i) {
      const Param& param = signature.params[form.params[i]];
      p.steps[p.count++] = {static_cast<int8_t>(form.params[i]), param.optional, param.kinds};
    }
    // x:op(...) with x in both roles: the first argument must be a tensor.
    if (!self_twice || (p.count > 0 && (p.steps[0].kinds & kind_tensor) != 0)) patterns.push_back(p);
  };
  const auto without_results = [&] {
    for (const Form& form : op.forms) {
      if (!form.method_only || is_method) flatten(form, false, in_place && signature.result_count > 0);
    }
  };
  const auto with_results = [&] {
    for (const Form& form : op.forms) {
      if (signature.result_count > 0 && !form.method_only) flatten(form, true, false);
    }
  };
  // What draws numbers fills the tensor that comes first, though it might be an argument: torch.bernoulli(x), not of chances x.
  if (signature.params[0].takes(kind_generator) && signature.params[1].takes(kind_tensor) && !in_place) {
    with_results();
    without_results();
  } else {
    without_results();
    with_results();
  }
  return patterns;
}

}  // namespace mt::lua
