// Lua's values as JSON.
#pragma once

#include <lua.hpp>
#include <nlohmann/json.hpp>

namespace kernel {

/// The value at an index: tables with a first element as arrays, others as objects of their entries with names. Of what JSON does not know
/// there is null. Throws where tables are nested deeper than a message is.
nlohmann::json to_json(lua_State* L, int index);

/// Pushes an object's strings, by their names.
void push_strings(lua_State* L, const nlohmann::json& object);

}  // namespace kernel
