--- torch.class: queries about classes and their objects.
-- @module torch.class.objects
local ffi = require 'ffi'
local class = require 'torch.class'

local debug, error, getmetatable, pairs, rawget, rawset, setmetatable, tonumber, tostring, type =
  debug, error, getmetatable, pairs, rawget, rawset, setmetatable, tonumber, tostring, type
local byName, find, list, recordOf, records = class.byName, class.find, class.list, class.recordOf, class.records
local ctypeRecords, setDefault = class.ctypeRecords, class.setDefault

local objects = {}

-- Whether a string is a Lua pattern: without magic characters (here a dot is not magic) it means itself.
local isPattern = setmetatable({}, {
  __index = function(known, spec)
    known[spec] = spec:find('[%^%$%(%)%%%[%]%*%+%-%?]') ~= nil
    return known[spec]
  end,
})

--- Returns whether the class of x or one of its ancestors is the given class.
-- @param x any value
-- @tparam string|table spec a full class name, a Lua pattern, or a constructor such as `nn.Module`
-- @treturn bool
function objects.isTypeOf(x, spec)
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

--- Returns whether x is a tensor of any type: an instance of a class torch.*Tensor.
-- @treturn bool
function objects.isTensor(x)
  local record = recordOf(x)
  return record ~= nil and record.name:find('^torch%..*Tensor$') ~= nil
end

--- Returns whether x is a storage of any type: an instance of a class torch.*Storage.
-- @treturn bool
function objects.isStorage(x)
  local record = recordOf(x)
  return record ~= nil and record.name:find('^torch%..*Storage$') ~= nil
end

--- Returns the metatable of a class, which is the live table of its methods; nothing if the name is unknown.
-- @string name class name
function objects.getmetatable(name)
  local record = byName[name]
  if record then return record.metatable end
end

--- Returns the callable table of a class; nothing if the name is unknown.
-- @string name class name
function objects.getconstructortable(name)
  local record = byName[name]
  if record then return record.constructorTable end
end

--- Returns the function that creates an instance without calling `__init`; nil for an unknown or abstract class.
-- @string name class name
function objects.factory(name)
  local record = byName[name]
  return record and rawget(record.metatable, '__factory')
end

--- Makes a table an instance of a class, without calling `__init`.
-- @tparam table tbl changed and returned
-- @string name class name
-- @raise if it is not a table: the metatable of any other object determines its memory
function objects.setmetatable(tbl, name)
  if type(tbl) ~= 'table' then error('setmetatable: tbl: ' .. class.type(tbl) .. ', expected a table', 2) end
  local record = byName[name]
  if not record then error("setmetatable: name: unknown typename '" .. tostring(name) .. "'", 2) end
  debug.setmetatable(tbl, record.metatable)
  return tbl
end

--- Sets fields of an object like assignments: the class's hook `__newindex__` is called, if there is one.
-- @tparam table object an instance
-- @tparam table fields values by name
function objects.assign(object, fields)
  local record = type(object) == 'table' and recordOf(object)
  if record and rawget(record.metatable, '__newindex') == class.newindex and not find(record, '__newindex__') then
    for key, value in pairs(fields) do rawset(object, key, value) end
  else
    for key, value in pairs(fields) do object[key] = value end
  end
end

--- Gives a class name to a foreign metatable, or to an FFI type.
-- @string name class name
-- @tparam table metatable metatable of the objects
-- @tparam[opt] ctype ctype the FFI type of the objects, when they are cdata
function objects.metatype(name, metatable, ctype)
  if byName[name] and byName[name].metatable ~= metatable then error("class '" .. name .. "' has been already registered", 2) end
  local record = list(byName[name] or { name = name, metatable = metatable, children = {} })
  byName[name] = record
  setDefault(metatable, '__typename', name)
  setDefault(metatable, '__version', 1)
  if ctype then ctypeRecords[tonumber(ffi.typeof(ctype))] = record else setDefault(metatable, '__metatable', metatable) end
end

--- Returns the `__version` of an object's class, which files record; nothing for other values.
-- @treturn ?number
function objects.version(x)
  local record = recordOf(x)
  if record then return find(record, '__version') end
end

local hasIdentity = { table = true, userdata = true, cdata = true, ['function'] = true, thread = true, string = true }

--- Returns a number unique to an object during its lifetime. Handles of the same tensor or storage return the same number.
-- @param x object, table, function, thread, string or cdata
-- @treturn number
-- @raise for nil and booleans
function objects.pointer(x)
  local kind = type(x)
  if kind == 'number' then return x end
  if not hasIdentity[kind] then error('pointer: x: ' .. kind .. '; Torch object, table, thread, cdata or function expected', 2) end
  if kind == 'cdata' then return tonumber(ffi.cast('intptr_t', ffi.cast('void *', x))) end
  local record = kind == 'userdata' and recordOf(x)
  local identity = record and find(record, '__pointer__')
  if identity then return identity(x) end
  return tonumber((('%p'):format(x)))
end

--- Returns whether two values are the same underlying object.
-- @treturn bool
function objects.isequal(a, b)
  if a == b then return true end
  return type(a) == type(b) and recordOf(a) ~= nil and objects.pointer(a) == objects.pointer(b)
end

return objects
