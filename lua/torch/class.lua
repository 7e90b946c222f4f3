--- Torch7's class system: names, metatables, inheritance and construction.
-- One registry serves classes written in Lua, whose instances are tables, and classes of userdata, whose metatables the C binding creates
-- and passes to `register`. A class is its metatable: methods are looked up live in it and in its parents. The operator metamethods, which
-- call the hooks `__add__`, `__tostring__` and so on, are in `torch.class.operators`.
-- @module torch.class
local ffi = require 'ffi'
local modules = require 'torch.modules'

local debug, error, rawget, rawset, setmetatable, getmetatable, type = debug, error, rawget, rawset, setmetatable, getmetatable, type
local select, tonumber, tostring = select, tonumber, tostring

local class = {}

local records = {}        -- metatable -> record {name, metatable, parent, children, constructorTable, added}; subclasses inherit added
local registry = debug.getregistry()

-- Class name -> record. A package may load its classes when they are first indexed (nn does), so an unknown name is looked up in its
-- package.
local byName = setmetatable({}, {
  __index = function(known, name)
    local package_, field = tostring(name):match('^(.*)%.([^.]*)$')
    if not package_ then return nil end
    local containers = { package.loaded[package_] or false, modules.loaded(package_) }      -- a program may have a package of that name
    for i = 1, #containers do
      local container = containers[i]
      if type(container) == 'table' and container[field] ~= nil and rawget(known, name) then return rawget(known, name) end
    end
  end,
})
local ctypeRecords = {}   -- id of an FFI ctype -> record

-- Packages look classes up in Lua's registry, where Torch7 stores them: metatable -> name, and name -> metatable.
debug.setmetatable(registry, {
  __index = function(_, name)
    local record = type(name) == 'string' and byName[name]
    if record then return record.metatable end
  end,
})

-- Makes a metatable that of a class, without registering its name.
local function list(record)
  records[record.metatable] = record
  registry[record.metatable] = record.name
  return record
end

-- Returns the record of the class of x. getmetatable of a constructor table returns its class, but the table is not an instance.
local function recordOf(x)
  local record = records[getmetatable(x)]
  if record then
    if record.constructorTable ~= x then return record end
  elseif type(x) == 'cdata' then
    return ctypeRecords[tonumber(ffi.typeof(x))]
  end
end

-- Finds a method or hook in the class and its parents, without calling an `__index` hook. With `isLoaded`, methods of tensors that are
-- loaded on demand are not searched: no hook is among them.
local function find(record, key, isLoaded)
  repeat
    local value, shared = rawget(record.metatable, key), record.shared
    if value == nil and shared then
      if isLoaded then value = rawget(shared, key) else value = shared[key] end
    end
    if value ~= nil then return value end
    record = record.parent
  until not record
end

class.recordOf, class.find, class.list, class.records = recordOf, find, list, records
local operators = require('torch.class.operators')(class)
class.operators = operators

-- `__index` of classes that define or inherit the hook `__index__`. All others have the plain table, which the JIT compiler handles better.
local function hookedIndex(self, key)
  local record = records[self]
  if record then return find(record, key) end
  record = recordOf(self)
  local hook = find(record, '__index__')
  if hook then
    local value, found = hook(self, key)
    if found then return value end
  end
  return find(record, key)
end

local function useHookedIndex(record)
  rawset(record.metatable, '__index', hookedIndex)
  for _, child in ipairs(record.children) do useHookedIndex(child) end
end

-- `__newindex` of instances, and of classes, because a parent is the metatable of its children's metatables.
local function newindex(self, key, value)
  local record = records[self]
  if record then
    rawset(self, key, value)
    if record.added then record.added(self, key) end
    if key == '__index__' and value ~= nil and type(rawget(self, '__index')) ~= 'function' then useHookedIndex(record) end
    return
  end
  record = recordOf(self)
  local hook = find(record, '__newindex__')
  if hook and hook(self, key, value) then return end
  if type(self) ~= 'table' then error('the class ' .. record.name .. ' cannot be indexed', 2) end
  rawset(self, key, value)
end

-- Metatable of the metatables of classes without a parent: it detects new hooks. getmetatable returns false for it, so that loops over
-- parents with `while metatable do` end there.
local root = { __newindex = newindex, __metatable = false, __call = operators.__call }

local function setParent(record, parent)
  if record.parent then
    for i, child in ipairs(record.parent.children) do
      if child == record then table.remove(record.parent.children, i) end
    end
  end
  record.parent = parent
  record.added = record.added or parent.added
  table.insert(parent.children, record)
  debug.setmetatable(record.metatable, parent.metatable)
  local inherits = rawget(record.metatable, '__index') == record.metatable
  if inherits and parent.metatable.__index == hookedIndex then useHookedIndex(record) end
end

local function parentRecord(parentName)
  return byName[parentName] or error("invalid parent class name '" .. tostring(parentName) .. "'", 3)
end

-- Returns where the constructor of a class belongs: the table and the field.
local function place(name, module)
  if module then return module, name:match('[^.]*$') end
  local container = _G
  local path, field = name:match('^(.*)%.([^.]*)$')
  if not path then return _G, name end
  for part in path:gmatch('[^.]+') do
    local inner = rawget(container, part)
    if inner == nil and container == _G then inner = package.loaded[part] end
    if type(inner) ~= 'table' then error("while creating metatable " .. name .. ": " .. path .. " is an invalid module name", 4) end
    container = inner
  end
  return container, field
end

-- Creates the table at pkg.Class: it is callable, and it reads and extends the class. The call occupies a stack level, because programs
-- count levels from `__init` to the line that created an object. Constructors of the library that report errors at the caller's line use a
-- tail call instead.
local function newConstructorTable(metatable, constructor, isCounted)
  local call = isCounted and function(_, ...)
    local instance = constructor(...)
    return instance
  end or function(_, ...) return constructor(...) end
  return setmetatable({}, {
    __index = metatable,
    __newindex = metatable,
    __metatable = metatable,
    [1] = true,                                           -- marks it for the C side: a class is not an empty list
    __typename = 'class ' .. metatable.__typename,        -- the name in messages
    __tostring = function() return metatable.__typename end,
    __call = call,
  })
end

local function setDefault(metatable, key, value)
  if rawget(metatable, key) == nil then rawset(metatable, key, value) end
end

--- Calls f(key, value) for each field of a table, in a loop that is never compiled. A class may first be used in a finaliser, where LuaJIT
-- can loop forever in a compiled loop over `pairs`, and where a file that is being loaded must not turn the compiler off.
-- @tparam table t
-- @tparam function f
function class.each(t, f)
  for key, value in pairs(t) do f(key, value) end
end
jit.off(class.each)

-- Registers the class and its constructor; all arguments have been checked.
local function enter(name, metatable, parent, options)
  local container, field = place(name, options.module)
  local record = list { name = name, metatable = metatable, children = {} }
  byName[name] = record
  setDefault(metatable, '__index', metatable)
  setDefault(metatable, '__newindex', newindex)
  rawset(metatable, '__typename', name)
  rawset(metatable, '__metatable', metatable)
  setDefault(metatable, '__version', 1)
  class.each(operators, function(key, operator) setDefault(metatable, key, operator) end)
  debug.setmetatable(metatable, root)
  if parent then setParent(record, parent) end
  if rawget(metatable, '__index__') ~= nil and rawget(metatable, '__index') == metatable then useHookedIndex(record) end

  local constructor = options.constructor or function()
    require('torch.check').raise('no constructor available: ' .. name .. ' is abstract')
  end
  rawset(metatable, '__factory', options.factory)
  rawset(metatable, '__constructor', options.constructor)
  rawset(metatable, 'new', constructor)
  if options.destructor then rawset(metatable, '__gc', options.destructor) end
  record.constructorTable = newConstructorTable(metatable, constructor, options.isCounted)
  rawset(container, field, record.constructorTable)
  return record
end

--- Registers a class whose metatable already exists; its `__index`, `__newindex` and operators don't change.
-- @string name 'pkg.Class'; the constructor becomes field Class of the global (or loaded) package pkg
-- @tparam table metatable the metatable of the instances
-- @tparam[opt] function constructor creates an instance from the user's arguments; without one the class is abstract
-- @string[opt] parentName a class to inherit from
-- @tparam[opt] table module gets the constructor instead
-- @tparam[optchain] function factory creates the empty instance that `read` fills (default: constructor without arguments)
-- @treturn table the metatable
function class.register(name, metatable, constructor, parentName, module, factory)
  if rawget(byName, name) then error("class '" .. name .. "' has been already registered", 2) end
  local parent = parentName and parentRecord(parentName)
  factory = factory or constructor and function() return constructor() end
  return enter(name, metatable, parent, { constructor = constructor, module = module, factory = factory }).metatable
end

--- Gives a class the methods of a table that several classes share; methods of the class have priority.
-- @tparam table metatable of a class without a parent
-- @tparam table methods by name
-- @tparam[opt] function added is called with (metatable, key) when a program adds a method to the class later
function class.share(metatable, methods, added)
  records[metatable].shared, records[metatable].added = methods, added
  debug.setmetatable(metatable, { __index = methods, __newindex = newindex, __metatable = false })
end

--- Returns the class name of an object; nothing for any other value.
-- @param x any value; calling without an argument is an error
-- @treturn ?string
function class.typename(...)
  local x = ...
  local record = recordOf(x)
  if record then return record.name end
  if select('#', ...) == 0 then error('typename: x: no argument, expected a value', 2) end
end

--- Returns the class name of an object, or the Lua type of any other value.
-- @treturn string
function class.type(x)
  local record = recordOf(x)
  return record and record.name or type(x)
end

-- For the files in torch/class, which are loaded at their first use.
class.byName, class.ctypeRecords = byName, ctypeRecords
class.enter, class.parentRecord, class.setDefault, class.setParent = enter, parentRecord, setDefault, setParent
class.newindex, class.useHookedIndex = newindex, useHookedIndex

setmetatable(class, { __call = function(_, ...) return class.class(...) end })
require 'torch.start.lazy_loader'(class, [[
  torch.class.definition: class define newmetatable
  torch.class.objects: isTypeOf isTensor isStorage getmetatable getconstructortable factory setmetatable metatype
  torch.class.objects: assign version pointer isequal
]])

return class
