--- Elements in memory as Lua values, by dtype: functions that LuaJIT compiles.
-- @module torch.index.values
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.index.canonical'

local cast, tonumber, type, istype = ffi.cast, tonumber, type, ffi.istype

local values = {}

-- Up to here a Lua number represents every integer.
local exact, exactInteger = 2 ^ 53, 9007199254740992LL

--- The C type of a dtype's elements, by its name as in torch.<name>Tensor. Dtypes without a numeric C type are structures.
values.ctypes = {}
--- Whether C has a type of real numbers for a dtype's elements, by the same name.
values.isNumber = {}
local ctypes, isNumber = values.ctypes, values.isNumber
local prefixes = { boolean = 'uint', ['unsigned integer'] = 'uint', ['signed integer'] = 'int' }
local isComplex, numbers = {}, {}
-- The least integer that a Lua number represents, of dtypes with larger ones.
local least = {}
for i, info in ipairs(C.dtypes) do
  local name, prefix = info.torch, prefixes[info.kind]
  local real = info.kind == 'real' and (info.size == 4 and 'float' or info.size == 8 and 'double')
  local complex = info.kind == 'complex' and (info.size == 8 and 'complex float' or 'complex')
  ctypes[name] = prefix and ('%s%d_t'):format(prefix, info.size * 8) or real or complex or 'mt_' .. name:lower()
  isNumber[name] = prefix ~= nil or real ~= false
  isComplex[name], numbers[name] = complex ~= false, i - 1
  if prefix and info.size == 8 then least[name] = prefix == 'int' and -exactInteger or 0ULL end
  if not isNumber[name] and not complex then
    ffi.cdef(('typedef struct { uint%d_t bits; } %s;'):format(info.size * 8, ctypes[name]))
  end
end

-- Functions of C, by addresses, that convert elements of types that C lacks: read(element) -> number and write(element, number).
local function converters(name)
  local read, write = C.elementConverters(numbers[name])
  return cast('double (*)(const void *)', read), cast('void (*)(void *, double)', write)
end

--- Returns a function that reads an element: a number, or a cdata object: a complex number, or a 64-bit integer that a number can't hold.
-- @string name of the dtype
-- @treturn function (bytes of a storage, position from 0)
function values.reader(name)
  local pointer, lowest = ffi.typeof('const ' .. ctypes[name] .. ' *'), least[name]
  if canonical[name] then return canonical[name] end
  if lowest then
    return function(data, at)
      local value = cast(pointer, data)[at]
      local number = tonumber(value)
      if number < exact and number > -exact or value == exactInteger or value == lowest then return number end
      return value
    end
  end
  if isComplex[name] then
    local complex = ffi.typeof 'complex'
    local part = ctypes[name] == 'complex' and canonical.Double or canonical.Float
    return function(data, at) return (complex(part(data, 2 * at), part(data, 2 * at + 1))) end
  end
  if isNumber[name] then
    return function(data, at) return cast(pointer, data)[at] end
  end
  local read
  return function(data, at)
    read = read or converters(name)
    return (read(cast(pointer, data) + at))
  end
end

--- Returns a function that writes a value to an element if it can: it returns whether it wrote. It writes numbers; integers of more than 53
-- bits, and fractions and NaN of dtypes of integers, have rules of C's.
-- @string name of the dtype
-- @treturn function (bytes of a storage, position from 0, value)
function values.writer(name)
  local pointer, wide = ffi.typeof(ctypes[name] .. ' *'), ffi.typeof 'int64_t'
  if name == 'Float' or name == 'Double' then
    return function(data, at, value)
      if type(value) ~= 'number' then return false end
      cast(pointer, data)[at] = value
      return true
    end
  end
  if name == 'Bool' then
    return function(data, at, value)
      if type(value) == 'number' then
        cast(pointer, data)[at] = value ~= 0 and 1 or 0
      elseif type(value) == 'boolean' then
        cast(pointer, data)[at] = value and 1 or 0
      else
        return false
      end
      return true
    end
  end
  if isComplex[name] then
    local complex = ffi.typeof 'complex'
    return function(data, at, value)
      if type(value) ~= 'number' and not istype(complex, value) then return false end
      cast(pointer, data)[at] = value
      return true
    end
  end
  if isNumber[name] then
    -- Numbers truncate to 64 bits and wrap to the width.
    return function(data, at, value)
      if type(value) ~= 'number' or not (value >= -exact and value <= exact) then return false end
      cast(pointer, data)[at] = cast(wide, value)
      return true
    end
  end
  local write
  return function(data, at, value)
    if type(value) ~= 'number' then return false end
    if not write then
      local _
      _, write = converters(name)
    end
    write(cast(pointer, data) + at, value)
    return true
  end
end

return values
