// Conversions between Lua values and JSON.
#pragma once

#include <lua.hpp>
#include <nlohmann/json.hpp>

namespace kernel {

/// Converts the value at an index: tables with a first element to arrays, other tables to objects of their named entries, and values
/// that JSON doesn't have to null. Throws if tables are nested deeper than any message.
nlohmann::json to_json(lua_State* L, int index);

/// Pushes a table of the strings in an object, by name.
void push_strings(lua_State* L, const nlohmann::json& object);

}  // namespace kernel
