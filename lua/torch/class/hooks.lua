--- The hooks of tensors and storages, `__add__`, `__index__`, `__tostring__` and so on, which programs read and replace.
-- The native operators don't call hooks; replacing a hook installs operators that do.
-- @module torch.class.hooks
local C = require 'libmoontorch'
local class = require 'torch.class'

local getmetatable, rawget, rawset, tonumber, type = getmetatable, rawget, rawset, tonumber, type

local hooks = {}

local plainIndex, plainNewindex = {}, {}      -- metatable of a class -> its native __index and __newindex

local function isPlace(key)
  return type(key) == 'number' or type(key) == 'table' or C.isTensor(key) or C.isStorage(key) or tonumber(key) ~= nil
end

local defaults = {}
function defaults.__index__(x, key)
  if not isPlace(key) then return nil, false end
  return plainIndex[getmetatable(x)](x, key), true
end
function defaults.__newindex__(x, key, value)
  if not isPlace(key) then return false end
  plainNewindex[getmetatable(x)](x, key, value)
  return true
end

-- The operators of a class after one of its hooks was replaced.
local asking = {}
function asking.__index(x, key)
  local metatable = getmetatable(x)
  local value, found = metatable.__index__(x, key)
  if found then return value end
  return plainIndex[metatable](x, key)
end
function asking.__newindex(x, key, value)
  local metatable = getmetatable(x)
  if metatable.__newindex__(x, key, value) then return end
  return plainNewindex[metatable](x, key, value)      -- a tail call: errors report the caller's line
end
class.each(class.operators, function(name, operator) asking[name] = operator end)

local function replaced(metatable, key)
  local operator = type(key) == 'string' and key:match '^(__%l+)__$'
  if asking[operator] then rawset(metatable, operator, asking[operator]) end
end

--- Gives a class the methods of a table that several classes share, and hooks that do what its operators do.
-- @tparam table metatable of tensors or storages, registered and with all its operators
-- @tparam table methods by name; the hooks are added to them
function hooks.share(metatable, methods)
  plainIndex[metatable], plainNewindex[metatable] = metatable.__index, metatable.__newindex
  class.each(class.operators, function(name, operator)
    if metatable[name] ~= operator then rawset(methods, name .. '__', metatable[name]) end
  end)
  class.each(defaults, function(name, hook) rawset(methods, name, hook) end)
  class.share(metatable, methods, replaced)
end

-- Replaces a native operator; `plain` has those of all classes.
local function replace(plain, operator, metatable, f)
  local former = plain[metatable]
  plain[metatable] = f
  if rawget(metatable, operator) == former then rawset(metatable, operator, f) end
  return former
end

--- Replaces a class's native __index.
-- @tparam table metatable that `share` was called with
-- @tparam function index
-- @treturn function the former one
function hooks.replaceIndex(metatable, index) return replace(plainIndex, '__index', metatable, index) end

--- Replaces a class's native __newindex.
-- @tparam table metatable that `share` was called with
-- @tparam function newindex
-- @treturn function the former one
function hooks.replaceNewindex(metatable, newindex) return replace(plainNewindex, '__newindex', metatable, newindex) end

return hooks
