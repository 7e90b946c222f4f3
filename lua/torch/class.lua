--- Torch7's class system: names, metatables, inheritance and construction.
-- One registry serves classes written in Lua, whose instances are tables, and classes of userdata, whose metatables the C
-- binding makes and hands to `register`. A class is its metatable: methods are looked up live in it and in its parents.
-- The operator metamethods, which call the hooks `__add__`, `__tostring__` and so on, are in `torch.operators`.
-- @module torch.class
local ffi = require 'ffi'
local guard, modules = require 'torch.check.guard', require 'torch.modules'

local debug, error, rawget, rawset, setmetatable, getmetatable, type = debug, error, rawget, rawset, setmetatable, getmetatable, type
local select, tonumber, tostring = select, tonumber, tostring

local class = {}

local records = {}        -- metatable -> record {name, metatable, parent, children, constructorTable}
local registry = debug.getregistry()

-- Class name -> record. A package may read its classes when they are first indexed (nn does): an unknown name asks its package.
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

-- Packages look classes up in Lua's registry, as Torch7 keeps them there: metatable -> name, and name -> metatable.
debug.setmetatable(registry, {
  __index = function(_, name)
    local record = type(name) == 'string' and byName[name]
    if record then return record.metatable end
  end,
})

-- Makes a metatable one of a class; its name stays free.
local function list(record)
  records[record.metatable] = record
  registry[record.metatable] = record.name
  return record
end

-- The record of the class x is an instance of. A constructor table answers getmetatable with its class, but is no instance.
local function recordOf(x)
  local record = records[getmetatable(x)]
  if record then
    if record.constructorTable ~= x then return record end
  elseif type(x) == 'cdata' then
    return ctypeRecords[tonumber(ffi.typeof(x))]
  end
end

-- A method or hook by walking the parents, without any `__index` hook.
local function find(record, key)
  repeat
    local value = rawget(record.metatable, key)
    if value == nil and record.shared then value = record.shared[key] end
    if value ~= nil then return value end
    record = record.parent
  until not record
end

class.recordOf, class.find, class.list = recordOf, find, list
local operators = require('torch.operators')(class)
class.operators = operators

-- `__index` of classes that define or inherit the hook `__index__`; all others have the plain table, which the JIT likes better.
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

-- `__newindex` of instances, and, as a parent is the metatable of its children's metatables, of classes.
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

-- Metatable of the metatables of classes without a parent: it sees hooks arrive. getmetatable says false, so walks up the
-- parents with `while metatable do` end there.
local root = { __newindex = newindex, __metatable = false, __call = operators.__call }

local function setParent(record, parent)
  if record.parent then
    for i, child in ipairs(record.parent.children) do
      if child == record then table.remove(record.parent.children, i) end
    end
  end
  record.parent = parent
  table.insert(parent.children, record)
  debug.setmetatable(record.metatable, parent.metatable)
  local inherits = rawget(record.metatable, '__index') == record.metatable
  if inherits and parent.metatable.__index == hookedIndex then useHookedIndex(record) end
end

local function parentRecord(parentName)
  return byName[parentName] or error("invalid parent class name '" .. tostring(parentName) .. "'", 3)
end

-- Where the constructor of a class lives: the table and the field.
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

-- What sits at pkg.Class: callable, reads and extends the class. The call takes a level of the stack, as programs count them that look up
-- from `__init` for the line that made an object; where nothing counts, errors that name the caller's line want it to take none.
local function newConstructorTable(metatable, constructor, isCounted)
  local call = isCounted and function(_, ...)
    local instance = constructor(...)
    return instance
  end or function(_, ...) return constructor(...) end
  return setmetatable({}, {
    __index = metatable,
    __newindex = metatable,
    __metatable = metatable,
    [1] = true,                                           -- by which the C side knows a class from an empty list
    __typename = 'class ' .. metatable.__typename,        -- what messages call it
    __tostring = function() return metatable.__typename end,
    __call = call,
  })
end

local function setDefault(metatable, key, value)
  if rawget(metatable, key) == nil then rawset(metatable, key, value) end
end

-- Makes the class known and visible; every argument is checked by then.
local function enter(name, metatable, parent, options)
  local container, field = place(name, options.module)
  local record = list { name = name, metatable = metatable, children = {} }
  byName[name] = record
  setDefault(metatable, '__index', metatable)
  setDefault(metatable, '__newindex', newindex)
  rawset(metatable, '__typename', name)
  rawset(metatable, '__metatable', metatable)
  setDefault(metatable, '__version', 1)
  for key, operator in pairs(operators) do setDefault(metatable, key, operator) end
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
-- A class may first be met in a finaliser, where LuaJIT stays for ever in a compiled loop of `pairs`.
jit.off(enter)

-- The class that a program finds under a name: one of a package that reads its classes on demand is read.
local function standing(name)
  local container = package.loaded[name:match '^(.*)%.[^.]*$' or '']
  local onDemand = type(container) == 'table' and (debug.getmetatable(container) or {}).__names
  return onDemand and byName[name] or rawget(byName, name)
end

-- A class of this library that Torch7 doesn't have leaves its name to a program that makes a class of it: `Class.__givesWay = true`.
local function givesWay(record) return rawget(record.metatable, '__givesWay') end

--- Enters a class whose metatable exists already; its own `__index`, `__newindex` and operators are kept.
-- @string name 'pkg.Class'; the constructor becomes field Class of the global (or loaded) package pkg
-- @tparam table metatable the metatable of the instances
-- @tparam[opt] function constructor makes an instance from the user's arguments; without one the class is abstract
-- @string[opt] parentName a class to inherit from
-- @tparam[opt] table module where the constructor goes instead
-- @tparam[optchain] function factory makes the bare instance that `read` fills (default: constructor without arguments)
-- @treturn table the metatable
function class.register(name, metatable, constructor, parentName, module, factory)
  if rawget(byName, name) then error("class '" .. name .. "' has been already registered", 2) end
  local parent = parentName and parentRecord(parentName)
  factory = factory or constructor and function() return constructor() end
  return enter(name, metatable, parent, { constructor = constructor, module = module, factory = factory }).metatable
end

--- Registers a class, low level. The first registration of a name decides, later ones return its metatable.
-- @string name class name
-- @string[opt] parentName a class to inherit from
-- @tparam[opt] function constructor makes an instance from the user's arguments
-- @tparam[optchain] function destructor `__gc` of userdata
-- @tparam[optchain] function factory makes a bare instance
-- @tparam[optchain] table module where the constructor goes
-- @treturn table the metatable
function class.newmetatable(name, parentName, constructor, destructor, factory, module)
  local known = byName[name]
  if known and not givesWay(known) then return known.metatable end
  local parent = parentName and parentRecord(parentName)
  local options = { constructor = constructor, destructor = destructor, factory = factory, module = module }
  return enter(name, {}, parent, options).metatable
end

--- Gives a class the methods of a table that several classes share; its own come first.
-- @tparam table metatable of a class without a parent
-- @tparam table methods by name
-- @tparam[opt] function added is told (metatable, key) of what a program gives the class later
function class.share(metatable, methods, added)
  records[metatable].shared, records[metatable].added = methods, added
  debug.setmetatable(metatable, { __index = methods, __newindex = newindex, __metatable = false })
end

local function classArguments(name, second, third)
  local parentName, module = second, third
  if type(second) == 'table' and third == nil then parentName, module = nil, second end
  local good = type(name) == 'string' and (parentName == nil or type(parentName) == 'string') and (module == nil or type(module) == 'table')
  if not good then error('<class name> [<parent class name>] [<module table>] expected', 3) end
  return parentName, module
end

--- Defines a class on behalf of a file: what torch.class does for the one that calls it.
-- @string name
-- @tparam ?string parentName
-- @tparam ?table module
-- @tparam boolean isOurs whether it is a file of this library, whose constructors' accidents are told as the caller sees them
function class.define(name, parentName, module, isOurs)
  local known = isOurs and rawget(byName, name) or not isOurs and standing(name)
  if known and not givesWay(known) then error("class '" .. name .. "' has been already assigned a factory", 2) end
  local parent = parentName and parentRecord(parentName)
  local metatable, record = {}, nil
  local guarded = guard.isInstalled and isOurs
  local seen, isGuarded      -- an `__init`, and whether it is one of ours
  local function factory() return setmetatable({}, metatable) end
  local function constructor(...)
    -- A hook that came by rawset, here or in a parent, passed `newindex` by.
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
-- The constructor, at `pkg.Class` or in `module`, makes a table, gives it the class and calls `__init` with its arguments.
-- @usage local Dog, parent = torch.class('zoo.Dog', 'zoo.Animal')
-- function Dog:__init(name) parent.__init(self); self.name = name end
-- @string name 'pkg.Class' with an existing global table pkg, or a bare name, which becomes a global
-- @string[opt] parentName a class to inherit from
-- @tparam[opt] table module table that gets the constructor
-- @treturn table the metatable, where methods go
-- @treturn ?table the parent's metatable
-- @raise if the package is missing, the parent is unknown, or the class has been defined before (one of ours that Torch7 doesn't have
-- gives way)
function class.class(name, parentName, module)
  parentName, module = classArguments(name, parentName, module)
  return class.define(name, parentName, module, guard.isOurSource(debug.getinfo(2, 'S').source))
end
setmetatable(class, { __call = function(_, ...) return class.class(...) end })

--- The class name of an object; nothing for any other value.
-- @param x any value; calling without an argument is an error
-- @treturn ?string
function class.typename(...)
  local x = ...
  local record = recordOf(x)
  if record then return record.name end
  if select('#', ...) == 0 then error('typename: x: no argument, expected a value', 2) end
end

--- The class name of an object, or the Lua type of any other value.
-- @treturn string
function class.type(x)
  local record = recordOf(x)
  return record and record.name or type(x)
end

-- Whether a string is a Lua pattern: without magic characters (a dot is none here) it means itself.
local isPattern = setmetatable({}, {
  __index = function(known, spec)
    known[spec] = spec:find('[%^%$%(%)%%%[%]%*%+%-%?]') ~= nil
    return known[spec]
  end,
})

--- Whether the class of x or one of its ancestors is the one asked for.
-- @param x any value
-- @tparam string|table spec a whole class name, a Lua pattern, or a constructor such as `nn.Module`
-- @treturn bool
function class.isTypeOf(x, spec)
  local wanted = type(spec) == 'table' and records[getmetatable(spec)]
  if not wanted and type(spec) ~= 'string' then
    error('isTypeOf: spec: ' .. type(spec) .. ', expected a class name, pattern or constructor', 2)
  end
  local record = recordOf(x)
  while record do
    if record == wanted or record.name == spec then return true end
    if not wanted and isPattern[spec] and record.name:find(spec) then return true end
    record = record.parent
  end
  return false
end

--- Whether x is a tensor of any type: an instance of a class torch.*Tensor.
-- @treturn bool
function class.isTensor(x)
  local record = recordOf(x)
  return record ~= nil and record.name:find('^torch%..*Tensor$') ~= nil
end

--- Whether x is a storage of any type: an instance of a class torch.*Storage.
-- @treturn bool
function class.isStorage(x)
  local record = recordOf(x)
  return record ~= nil and record.name:find('^torch%..*Storage$') ~= nil
end

--- The metatable of a class, which is the live table of its methods; nothing if the name is unknown.
-- @string name class name
function class.getmetatable(name)
  local record = byName[name]
  if record then return record.metatable end
end

--- The callable table of a class; nothing if the name is unknown.
-- @string name class name
function class.getconstructortable(name)
  local record = byName[name]
  if record then return record.constructorTable end
end

--- The function that makes an instance without calling `__init`; nil for an unknown or abstract class.
-- @string name class name
function class.factory(name)
  local record = byName[name]
  return record and rawget(record.metatable, '__factory')
end

--- Makes a table an instance of a class, without calling `__init`.
-- @tparam table tbl changed and returned
-- @string name class name
-- @raise if it is no table: the metatable of anything else says what memory it has
function class.setmetatable(tbl, name)
  if type(tbl) ~= 'table' then error('setmetatable: tbl: ' .. class.type(tbl) .. ' came, a table was expected', 2) end
  local record = byName[name]
  if not record then error("setmetatable: name: unknown typename '" .. tostring(name) .. "'", 2) end
  debug.setmetatable(tbl, record.metatable)
  return tbl
end

--- Gives a class name to a foreign metatable, or to an FFI type.
-- @string name class name
-- @tparam table metatable metatable of the objects
-- @tparam[opt] ctype ctype the FFI type of the objects, when they are cdata
function class.metatype(name, metatable, ctype)
  if byName[name] and byName[name].metatable ~= metatable then error("class '" .. name .. "' has been already registered", 2) end
  local record = list(byName[name] or { name = name, metatable = metatable, children = {} })
  byName[name] = record
  setDefault(metatable, '__typename', name)
  setDefault(metatable, '__version', 1)
  if ctype then ctypeRecords[tonumber(ffi.typeof(ctype))] = record else setDefault(metatable, '__metatable', metatable) end
end

--- The `__version` of an object's class, which files record; nothing for other values.
-- @treturn ?number
function class.version(x)
  local record = recordOf(x)
  if record then return find(record, '__version') end
end

local hasIdentity = { table = true, userdata = true, cdata = true, ['function'] = true, thread = true, string = true }

--- A number unique to an object while it lives. Handles of one tensor or storage give the same number.
-- @param x object, table, function, thread, string or cdata
-- @treturn number
-- @raise for nil and booleans
function class.pointer(x)
  local kind = type(x)
  if kind == 'number' then return x end
  if not hasIdentity[kind] then error('pointer: x: ' .. kind .. ' came; Torch object, table, thread, cdata or function expected', 2) end
  if kind == 'cdata' then return tonumber(ffi.cast('intptr_t', ffi.cast('void *', x))) end
  local record = kind == 'userdata' and recordOf(x)
  local identity = record and find(record, '__pointer__')
  if identity then return identity(x) end
  return tonumber((('%p'):format(x)))
end

--- Whether two values are the same underlying object.
-- @treturn bool
function class.isequal(a, b)
  if a == b then return true end
  return type(a) == type(b) and recordOf(a) ~= nil and class.pointer(a) == class.pointer(b)
end

return class
