--- Small classes by name, in the interface of Torch7's package class: `class(name [, parent])`.
-- They are tables with metatables, independent of `torch.class`. Creating an object runs only the `__init` of its class, which is empty by
-- default. A class calls its parent's `__init` through the parent's table, the second result of `class`. Loading it makes argcheck's checks
-- know the names of these classes, besides those of torch.
-- @module class
-- @usage local class = require 'class'
-- local Animal = class 'Animal'
-- function Animal:__init(name) self.name = name end
-- local Cat, parent = class('Cat', 'Animal')
-- function Cat:__init(name) parent.__init(self, name) end
-- print(Cat('Tom').name, class.type(Cat 'Tom'), class.istype(Cat 'Tom', 'Animal'))   --> Tom  Cat  true
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local class = {}

-- name -> the class's table, which is the metatable of its objects; and the inverse.
local classes, names = {}, {}

local function nothing() end

local function checked(where, argument, value)
  if type(value) ~= 'string' then error(('%s: %s: a %s, expected a string'):format(where, argument, type(value)), 3) end
  return value
end

local function instantiate(metatable, ...)
  local object = setmetatable({}, metatable)
  metatable.__init(object, ...)
  return object
end

--- Creates a class; `class(name, parent)` does the same.
-- @string name unique name of the class
-- @string[opt] parentname name of the class whose methods it inherits
-- @treturn table the class, for the program's methods; calling it, or its `new`, creates an object and runs `__init`
-- @treturn ?table the parent
-- @raise 'class <NAME> already exists', 'parent class <NAME> does not exist'
function class.new(name, parentname)
  checked('class.new', 'name', name)
  if classes[name] then error(('class <%s> already exists'):format(name), 2) end
  local parent = parentname ~= nil and classes[checked('class.new', 'parentname', parentname)] or nil
  if parentname ~= nil and not parent then error(('parent class <%s> does not exist'):format(parentname), 2) end
  local made = { __init = nothing }
  made.__index = made
  function made.new(...) return instantiate(made, ...) end
  -- Lua looks up operators directly in the metatable.
  for key, value in pairs(parent or {}) do
    if made[key] == nil and key:find '^__' then made[key] = value end
  end
  names[made] = name
  classes[name] = setmetatable(made, { __index = parent, __call = function(_, ...) return instantiate(made, ...) end })
  return made, parent
end

--- Creates an object of a class without running its `__init`, as loading from files does.
-- @string name of the class
-- @treturn table
-- @raise if there is no such class
function class.factory(name)
  local metatable = classes[checked('class.factory', 'name', name)]
  if not metatable then error(('class <%s> does not exist'):format(name), 2) end
  return setmetatable({}, metatable)
end

--- A class by its name.
-- @string name
-- @treturn ?table nil if there is none
function class.metatable(name) return classes[name] end

local function classOf(value)
  local metatable = type(value) == 'table' and getmetatable(value)
  return names[metatable] and metatable or nil
end

--- The name of a value's class, or of its type in Lua.
-- @param object anything
-- @treturn string
function class.type(object)
  local metatable = classOf(object)
  return metatable and names[metatable] or type(object)
end

--- Whether a value is an instance of a class or its subclasses, or has a type of Lua.
-- @param object anything
-- @string name of the class or type
-- @treturn bool
function class.istype(object, name)
  local metatable = classOf(object)
  while metatable do
    if names[metatable] == name then return true end
    local above = getmetatable(metatable)
    metatable = above and above.__index
  end
  return type(object) == name
end

local env = require 'argcheck.env'
local istype, typeOf = env.istype, env.type
function env.istype(object, name) return class.istype(object, name) or istype(object, name) end
function env.type(object) return classOf(object) and class.type(object) or typeOf(object) end

return setmetatable(class, { __call = function(_, ...) return class.new(...) end })
