--- The state of each class: its methods, attributes and rules. It is separate from the class table, which programs read and extend.
-- A state has the fields name, class, parent (a class), super, methods and attributes by name (including functions without self), and the
-- sets final and required. New subclasses copy methods, attributes and rules.
-- @module classic.state
local state = {}

-- class -> state; proxies of a second definition have the state of the first.
local states = setmetatable({}, { __mode = 'k' })

-- metatable of plain objects -> state
local ofMetatables = setmetatable({}, { __mode = 'k' })

-- Strict objects, whose unknown fields are errors.
local strict = setmetatable({}, { __mode = 'k' })

local hooks = {}
for name in ('add call concat div eq index mul newindex pow sub tostring unm'):gmatch '%a+' do hooks['__' .. name] = true end

--- The operators that a class may define as methods; `__index` is called if no method or attribute has the name.
state.hooks = hooks

--- The metatable of objects that can be saved, if classic.torch has set it.
state.torchObject = nil

--- The state of a class.
-- @param class
-- @treturn ?table nil if the value is not a class
function state.of(class) return type(class) == 'table' and states[class] or nil end

--- Sets the state of a class.
-- @param class
-- @tparam table made
function state.set(class, made) states[class] = made end

--- The state of an object's class.
-- @param object anything
-- @treturn ?table nil if the value is not an object
function state.ofObject(object)
  if type(object) ~= 'table' then return nil end
  local metatable = debug.getmetatable(object)
  if metatable == nil then return nil end
  if metatable == state.torchObject then return states[rawget(object, '_class')] end
  return ofMetatables[metatable]
end

-- Methods that all objects have.
local everyObject = {}

function everyObject:class() return state.ofObject(self).class end

function everyObject:classIs(class)
  local own = state.ofObject(self)
  return own == (state.of(class) or false)
end

--- Reads a field that an object lacks.
-- @tparam table own the state of its class
-- @tparam table object
-- @param key
-- @return the method, attribute, or what the hook `__index` returns
-- @raise if the object is strict and nothing has that name
function state.read(own, object, key)
  local value = own.methods[key]
  if value ~= nil then return value end
  value = own.attributes[key]
  if value ~= nil then return value end
  value = everyObject[key]
  if value ~= nil then return value end
  local hook = own.methods.__index
  if hook then return hook(object, key) end
  if strict[object] then
    error(('Strictness violation: %s: read of the unknown field %s'):format(own.name, tostring(key)), 3)
  end
end

--- Writes a field that an object lacks.
-- @tparam table own the state of its class
-- @tparam table object
-- @param key
-- @param value
-- @raise if the object is strict
function state.write(own, object, key, value)
  local hook = own.methods.__newindex
  if hook then return hook(object, key, value) end
  if strict[object] then
    error(('Strictness violation: %s: write of the unknown field %s'):format(own.name, tostring(key)), 3)
  end
  rawset(object, key, value)
end

--- Makes unknown fields of an object errors.
-- @tparam table object
function state.makeStrict(object) strict[object] = true end

-- The metatable of a class's plain objects.
local function metatableOf(own)
  if own.metatable then return own.metatable end
  local metatable = {
    __index = function(object, key) return state.read(own, object, key) end,
    __newindex = function(object, key, value) state.write(own, object, key, value) end,
  }
  for name in pairs(hooks) do metatable[name] = metatable[name] or own.methods[name] end
  own.metatable = metatable
  ofMetatables[metatable] = own
  return metatable
end

--- Creates an object of a class without running `_init`.
-- @tparam table own the class's state
-- @treturn table
function state.bare(own)
  if state.torchObject then return setmetatable({ _class = own.class }, state.torchObject) end
  return setmetatable({}, metatableOf(own))
end

--- Adds a method to a class and its existing objects.
-- @tparam table own the class's state
-- @string name
-- @tparam function method
function state.define(own, name, method)
  own.methods[name] = method
  if hooks[name] and own.metatable and name ~= '__index' and name ~= '__newindex' then own.metatable[name] = method end
end

return state
