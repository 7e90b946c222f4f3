--- Classes that a program defines, for workers: a worker lacks them unless a file that it requires defines them.
-- @module data.classes
local torch, guard, modules = require 'torch', require 'torch.check.guard', require 'torch.modules'

local debug, getmetatable, next, pairs, rawget, type = debug, getmetatable, next, pairs, rawget, type

local classes = {}

-- The methods, hooks and values of a class, without inherited ones and without the fields of every class.
local function membersOf(metatable)
  local members = {}
  for key, value in next, metatable do
    local hidden = type(key) == 'string' and key:find '^__' and key ~= '__init' and not key:find '^__%a+__$'
    if not hidden and key ~= 'new' then members[key] = value end
  end
  return members
end

-- Whether a program defined a class: one of its functions is not Moontorch's.
local function isPrograms(metatable)
  for _, value in pairs(membersOf(metatable)) do
    if type(value) == 'function' and not guard.isOurSource(debug.getinfo(value, 'S').source) then return true end
  end
  return false
end

local function add(found, metatable)
  if type(metatable) ~= 'table' or not rawget(metatable, '__typename') or found[metatable] ~= nil then return end
  local parent = getmetatable(metatable)
  add(found, parent)
  found[metatable] = isPrograms(metatable)
  if found[metatable] then
    found[#found + 1] = {
      name = metatable.__typename, parent = type(parent) == 'table' and parent.__typename or nil, members = membersOf(metatable),
    }
  end
end

local function collect(found, seen, value)
  if type(value) ~= 'table' or seen[value] then return end
  seen[value] = true
  if torch.typename(value) then add(found, getmetatable(value)) end
  for _, entry in next, value do collect(found, seen, entry) end
end

--- The program's classes with instances in a value, parents first.
-- @param value
-- @treturn {table,...} { name, parent, members }
function classes.of(value)
  local found = {}
  collect(found, {}, value)
  local list = {}
  for i = 1, #found do list[i] = found[i] end
  return list
end

local function isKnown(name)
  local prefix = name:match '^(.*)%.[^.]*$'
  local function isHere() return torch.getmetatable(name) ~= nil end
  return isHere() or prefix ~= nil and modules.bring(prefix, isHere)
end

--- Defines a class without members, unless it exists.
-- @string name
-- @string[opt] parent
-- @treturn bool whether it was defined
function classes.define(name, parent)
  if isKnown(name) then return false end
  if parent then isKnown(parent) end
  torch.class(name, parent, {})
  return true
end

--- Sets the members of a class.
-- @string name
-- @tparam table members
function classes.fill(name, members)
  local metatable = torch.getmetatable(name)
  for key, value in pairs(members) do metatable[key] = value end
end

return classes
