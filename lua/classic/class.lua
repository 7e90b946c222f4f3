--- Classes: calling one creates an object, assigning a function defines a method, and its built-in methods describe it.
-- @module classic.class
local state, superOf, events = require 'classic.state', require 'classic.super', require 'classic.events'

local class = {}

-- name -> class
local classes = {}

--- The class with a name.
-- @string name
-- @return the class, or nil if it does not exist
function class.get(name) return classes[name] end

--- Removes a name, which may then be defined again.
-- @string name
function class.forget(name) classes[name] = nil end

--- Removes all names.
function class.forgetAll() classes = {} end

local function raise(own, text, ...) error(('%s: %s'):format(own.name, text:format(...)), 3) end

-- The state of a class, which is passed directly or by name. Loads the file of a name without a class.
local function resolved(given, where)
  if type(given) == 'string' then
    if not classes[given] then require(given) end
    given = classes[given] or given
  end
  return state.of(given) or error(('%s: %s, expected a class or the name of one'):format(where, tostring(given)), 3)
end

-- Functions by name, for iteration by `for name, f in C:methods()` or `pairs(C:methods())`.
local function listed(functions, isListed)
  local list = {}
  for name, value in pairs(functions) do
    if isListed(name) then list[name] = value end
  end
  return setmetatable(list, { __call = function(_, _, name) return next(list, name) end })
end

local function missingMethods(own)
  local missing = {}
  for name in pairs(own.required) do
    if own.methods[name] == nil then missing[#missing + 1] = name end
  end
  table.sort(missing)
  return missing
end

--- The built-in methods of each class, called as `C:name()`.
-- @type Class
local Class = {}

--- Creates an object and calls its `_init` with the arguments; calling the class does the same.
-- @param ... for `_init`
-- @return the object
-- @raise if a method is missing that the class or a parent requires
function Class:instantiate(...)
  local own = state.of(self)
  if next(own.required) then
    local missing = missingMethods(own)
    if #missing > 0 then raise(own, 'objects need the methods %s, which are not defined', table.concat(missing, ', ')) end
  end
  local object = state.bare(own)
  local init = own.methods._init
  if init then init(object, ...) end
  return object
end

--- @treturn string the class's name
function Class:name() return state.of(self).name end

--- @return the parent class, or nil
function Class:parent() return state.of(self).parent end

--- @return the parent's methods as `super.method(self, ...)`, or nil
function Class:super() return state.of(self).super end

--- Whether an object is of exactly this class.
-- @param object anything
-- @treturn bool
function Class:isClassOf(object) return state.ofObject(object) == state.of(self) end

--- Whether this class is another or inherits from it.
-- @param other a class or a name
-- @treturn bool
function Class:isSubclassOf(other)
  local own, wanted = state.of(self), resolved(other, 'isSubclassOf')
  while own and own ~= wanted do own = state.of(own.parent) end
  return own ~= nil
end

--- The methods except those that begin with `_`, including inherited ones: `for name, method in C:methods() do`.
function Class:methods()
  return listed(state.of(self).methods, function(name) return type(name) ~= 'string' or name:sub(1, 1) ~= '_' end)
end

--- All methods.
function Class:allMethods()
  return listed(state.of(self).methods, function() return true end)
end

--- Whether a required method is missing.
-- @treturn bool
function Class:abstract() return #missingMethods(state.of(self)) > 0 end

--- A digest of the class's name, its methods' names and their code.
-- @treturn string hexadecimal digits
function Class:hash()
  local own, parts = state.of(self), {}
  for name, method in pairs(own.methods) do
    local done, code = pcall(string.dump, method, true)
    parts[#parts + 1] = tostring(name) .. '\0' .. (done and code or tostring(method))
  end
  table.sort(parts)
  return require('md5').sumhexa(own.name .. '\0' .. table.concat(parts, '\0'))
end

--- Requires objects of this class and its subclasses to have a method.
-- @string name
function Class:mustHave(name) state.of(self).required[name] = true end

--- Forbids redefining a method in this class and its subclasses.
-- @string name
-- @raise if there is no such method
function Class:final(name)
  local own = state.of(self)
  if own.methods[name] == nil then raise(own, 'final: no method %s', tostring(name)) end
  own.final[name] = true
end

--- @string name
-- @treturn bool whether `final` has been called for this method
function Class:methodIsFinal(name) return state.of(self).final[name] == true end

--- Copies the methods of another class into this one.
-- @param other a class or a name
-- @raise if both have a method with the same name
function Class:include(other)
  local own, from = state.of(self), resolved(other, 'include')
  for name in pairs(from.methods) do
    if own.methods[name] ~= nil then raise(own, 'include: the method %s is in %s, too', tostring(name), from.name) end
  end
  for name, method in pairs(from.methods) do state.define(own, name, method) end
end

local function conflict(own, name, one, other)
  error(('A naming conflict in %s: %s would be %s and is %s'):format(own.name, tostring(name), one, other), 4)
end

local function defineMethod(own, name, method)
  if name == 'init' or name == '__init' then raise(own, '%s: did you mean _init?', name) end
  if own.final[name] then raise(own, 'the method %s is final', tostring(name)) end
  if own.attributes[name] ~= nil then conflict(own, name, 'a method', 'an attribute') end
  state.define(own, name, method)
end

local function defineAttribute(own, name, value)
  if own.methods[name] ~= nil then conflict(own, name, 'an attribute', 'a method') end
  if Class[name] or name == 'static' then conflict(own, name, 'an attribute', 'what each class has') end
  own.attributes[name] = value
end

local function staticsOf(own)
  return setmetatable({}, {
    __index = own.attributes,
    __newindex = function(_, name, value)
      if type(value) ~= 'function' then raise(own, 'static.%s: a %s, expected a function', tostring(name), type(value)) end
      defineAttribute(own, name, value)
    end,
  })
end

local function readFrom(self, name)
  if Class[name] then return Class[name] end
  local own = state.of(self)
  if name == 'static' then return own.static end
  local value = own.attributes[name]
  if value ~= nil then return value end
  if own.methods[name] then raise(own, '%s is a method of its objects; parents\' methods are called by super', tostring(name)) end
  raise(own, 'no attribute %s', tostring(name))
end

local function extend(self, name, value)
  local own = state.of(self)
  if type(value) == 'function' then defineMethod(own, name, value) else defineAttribute(own, name, value) end
end

local function called(self, ...) return Class.instantiate(self, ...) end
local function described(self) return ('classic.class<%s>'):format(state.of(self).name) end

local function copied(t)
  local copy = {}
  for key, value in pairs(t or {}) do copy[key] = value end
  return copy
end

-- Handles a second definition of a class, which occurs if a file is loaded twice: it shares the objects of the first one, and may only
-- define methods that the first one has.
local function again(known, parent)
  local own = state.of(known)
  if parent ~= (own.parent and state.of(own.parent)) then
    error(('You are defining a version of class %s which conflicts with the one that exists: its parent is another'):format(own.name), 3)
  end
  local standIn = {}
  state.set(standIn, own)
  return setmetatable(standIn, {
    __index = readFrom, __call = called, __tostring = described,
    __newindex = function(_, name, value)
      local first = own.methods[name]
      if type(value) ~= 'function' then return end
      if type(first) ~= 'function' or string.dump(first, true) ~= string.dump(value, true) then
        error(('You are defining a version of class %s which conflicts with the one that exists: the method %s is another')
          :format(own.name, tostring(name)), 2)
      end
    end,
  })
end

--- Creates a class.
-- @string name
-- @param[opt] parent a class, or the name of one
-- @return the class
-- @return with a parent, its methods as `super.method(self, ...)`
function class.make(name, parent)
  if type(name) ~= 'string' then error(('classic.class: name: a %s, expected a string'):format(type(name)), 2) end
  local above = parent ~= nil and resolved(parent, 'classic.class: parent') or nil
  if classes[name] then return again(classes[name], above) end
  local own = { name = name }
  for _, field in ipairs { 'methods', 'attributes', 'final', 'required' } do own[field] = copied(above and above[field]) end
  own.static = staticsOf(own)
  own.parent, own.super = above and above.class, above and superOf(above.class)
  own.class = setmetatable({}, { __index = readFrom, __newindex = extend, __call = called, __tostring = described })
  state.set(own.class, own)
  classes[name] = own.class
  events.call(events.names.CLASS_INIT, own.class)
  return own.class, own.super
end

return class
