--- Penlight's modules as globals (path, stringx, tablex, lapp, List, ...), loaded on first use, and its `%` for strings.
-- Torch7's environment had them; programs use them without requiring them.
-- @module trepl.penlight
local modules = [[
 utils path dir tablex stringio sip input seq lexer stringx config pretty data func text operator lapp array2d comprehension xml types
 test app file class luabalanced permute template url compat List Map Set OrderedMap MultiMap Date
]]

local isThere = require 'torch.modules'.isThere

-- A module of Penlight by the name that is read from a table; nil for other names, or if Penlight is not installed.
local function load(t, name)
  if type(name) ~= 'string' or not modules:find('%s' .. name .. '%s') then return nil end
  local module = 'pl.' .. name
  if not isThere(module) then return nil end
  local value = require(module)
  rawset(t, name, value)
  local preloaded = rawget(t, '_preloaded_')
  if preloaded then preloaded[name] = true end
  return value
end

local metatable = getmetatable(_G) or {}
local before = metatable.__index

--- Looks up undefined globals among Penlight's modules.
function metatable.__index(t, name)
  local value = load(t, name)
  if value ~= nil then return value end
  if type(before) == 'function' then return before(t, name) end
  return before and before[name]
end

setmetatable(_G, metatable)

local strings = getmetatable ''

--- `'%d of %s' % {1, 'x'}`, `'%5.2f' % x`, and, with Penlight, `'$name' % {name = 'x'}`.
function strings.__mod(format, values)
  if isThere 'pl.stringx' then
    strings.__mod = nil
    require('pl.stringx').format_operator()
    return strings.__mod(format, values)
  end
  if type(values) == 'table' then return format:format(unpack(values)) end
  return format:format(values)
end
