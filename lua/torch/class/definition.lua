--- Classes that programs and packages define: torch.class and related functions.
-- @module torch.class.definition
local class = require 'torch.class'
local guard = require 'torch.check.guard'

local debug, error, rawget, setmetatable, type = debug, error, rawget, setmetatable, type
local byName, enter, find, parentRecord, useHookedIndex = class.byName, class.enter, class.find, class.parentRecord, class.useHookedIndex

local definition = {}

-- Returns the class that a program finds under a name; loads it if its package loads classes on demand.
local function standing(name)
  local container = package.loaded[name:match '^(.*)%.[^.]*$' or '']
  local onDemand = type(container) == 'table' and (debug.getmetatable(container) or {}).__names
  return onDemand and byName[name] or rawget(byName, name)
end

-- Returns whether a program may define a class with this name, as for classes that Torch7 doesn't have: `Class.__givesWay = true`.
local function givesWay(record) return rawget(record.metatable, '__givesWay') end

--- Registers a class (low level). The first registration of a name counts; later ones return its metatable.
-- @string name class name
-- @string[opt] parentName a class to inherit from
-- @tparam[opt] function constructor creates an instance from the user's arguments
-- @tparam[optchain] function destructor `__gc` of userdata
-- @tparam[optchain] function factory creates an empty instance
-- @tparam[optchain] table module gets the constructor
-- @treturn table the metatable
function definition.newmetatable(name, parentName, constructor, destructor, factory, module)
  local known = byName[name]
  if known and not givesWay(known) then return known.metatable end
  local parent = parentName and parentRecord(parentName)
  local options = { constructor = constructor, destructor = destructor, factory = factory, module = module }
  return enter(name, {}, parent, options).metatable
end

local function classArguments(name, second, third)
  local parentName, module = second, third
  if type(second) == 'table' and third == nil then parentName, module = nil, second end
  local good = type(name) == 'string' and (parentName == nil or type(parentName) == 'string') and (module == nil or type(module) == 'table')
  if not good then error('<class name> [<parent class name>] [<module table>] expected', 3) end
  return parentName, module
end

--- Defines a class for a file: the implementation of torch.class.
-- @string name
-- @tparam ?string parentName
-- @tparam ?table module
-- @tparam boolean isOurs whether it is a file of this library: accidental errors in its constructors are reported at the caller's line
function definition.define(name, parentName, module, isOurs)
  local known = isOurs and rawget(byName, name) or not isOurs and standing(name)
  if known and not givesWay(known) then error("class '" .. name .. "' has been already assigned a factory", 2) end
  local parent = parentName and parentRecord(parentName)
  local metatable, record = {}, nil
  local guarded = guard.isInstalled and isOurs
  local seen, isGuarded      -- an `__init`, and whether a Moontorch file defines it
  local function factory() return setmetatable({}, metatable) end
  local function constructor(...)
    -- A hook set with rawset, here or in a parent, bypassed `newindex`.
    if rawget(metatable, '__index') == metatable and find(record, '__index__') then useHookedIndex(record) end
    local self = setmetatable({}, metatable)
    local init = metatable.__init
    if guarded and init ~= seen then
      seen, isGuarded = init, type(init) == 'function' and guard.isOurSource(debug.getinfo(init, 'S').source)
    end
    if isGuarded then
      guard.call(name, init, self, ...)
    elseif init then
      init(self, ...)
    end
    return self
  end
  record = enter(name, metatable, parent, { constructor = constructor, factory = factory, module = module, isCounted = true })
  return metatable, parent and parent.metatable
end

--- Defines a class whose instances are tables.
-- The constructor, at `pkg.Class` or in `module`, creates a table, gives it the class and calls `__init` with its arguments.
-- @usage local Dog, parent = torch.class('zoo.Dog', 'zoo.Animal')
-- function Dog:__init(name) parent.__init(self); self.name = name end
-- @string name 'pkg.Class' with an existing global table pkg, or a bare name, which becomes a global
-- @string[opt] parentName a class to inherit from
-- @tparam[opt] table module table that gets the constructor
-- @treturn table the metatable, where methods go
-- @treturn ?table the parent's metatable
-- @raise if the package is missing, the parent is unknown, or the class has been defined before (a program may replace Moontorch's classes
-- that Torch7 lacks)
function definition.class(name, parentName, module)
  parentName, module = classArguments(name, parentName, module)
  return definition.define(name, parentName, module, guard.isOurSource(debug.getinfo(2, 'S').source))
end

return definition
