--- The loops of apply, map and map2: a Lua function is called for each element of tensors and returns the value to write.
-- Each source position of a function gets a new loop, so that LuaJIT compiles every function into a separate loop: in a shared loop, each
-- further function would be a side trace, and after a hundred, functions would not be compiled at all.
-- @module torch.index.element_loops
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class = require 'torch.class'
local element, values = require 'torch.index.element', require 'torch.index.values'

local cast, tonumber, type, error = ffi.cast, tonumber, type, error
local int64, uint64 = ffi.typeof 'int64_t', ffi.typeof 'uint64_t'
local storages, bytes = ffi.typeof 'mt_storage_view *', ffi.typeof 'const uint8_t *'
local limit, least = 2 ^ 63, -0x7fffffffffffffffLL - 1LL

-- ---- elements in Lua ----------------------------------------------------------------------------------------------------------------

-- Converts a number to 64 bits; numbers out of range, NaN included, become the smallest integer, as in the rest of the library.
local function whole(value)
  if type(value) == 'cdata' then return value end
  if value < limit and value >= -limit then return cast(int64, value) end
  return least
end

local function writeFloat(p, i, value) p[i] = type(value) == 'number' and value or tonumber(value) end
local function writeInteger(p, i, value) p[i] = whole(value) end
local function writeUnsigned(p, i, value)
  local isLarge = type(value) == 'number' and value >= limit and value < 2 * limit
  p[i] = isLarge and cast(uint64, value) or whole(value)
end
local function writeBool(p, i, value) p[i] = value ~= 0 and 1 or 0 end
local function writeComplex(p, i, value) p[i] = value end

local writers = {
  Float = writeFloat, Double = writeFloat, Bool = writeBool, UInt64 = writeUnsigned,
  ComplexFloat = writeComplex, ComplexDouble = writeComplex,
}

-- Converts a function's result to a number. Errors report the caller of the method, `level` levels up.
local function number(name, level, value)
  if type(value) == 'number' then return value end
  if type(value) == 'cdata' and (ffi.istype(int64, value) or ffi.istype(uint64, value)) then return value end
  local meant = type(value) == 'string' and tonumber(value)
  if meant then return meant end
  error(name .. ': function: it returned a ' .. class.type(value) .. ', expected a number or nil', level)
end

-- The same for elements that are complex.
local function complexNumber(name, level, value)
  if type(value) == 'cdata' and ffi.istype('complex', value) then return value end
  return tonumber(number(name, level + 1, value))
end

local function raiseMoved() error('a tensor was resized or given other memory by the function that is applied to it', 0) end

-- ---- the text of the loops ----------------------------------------------------------------------------------------------------------

-- The loop returns the lent memory (`libmoontorch.lendElements`), because the collector doesn't free values that are used after the
-- loop. Elements of all tensors have the same positions.
local dense = [[
local read, write, number, type, moved, cast, pointer, storages, bytes = ...
return function(f, last, LENT)
  POINTERS
  for i = 0, last do
    local value = f(READS)
    if MOVED then moved() end
    if value then
      if type(value) ~= 'number' then value = number('NAME', 4, value) end
      write(p1, i, value)
    end
  end
  s1.version = s1.version + 1
  return KEPT
end]]

-- Elements of the first tensor are `step` apart from `at` on; those of others have the same positions in row-major order.
local strided = [[
local read, write, number, type, moved, cast, pointer, storages, bytes = ...
return function(f, at, step, first, last, LENT)
  POINTERS
  for i = first, last do
    local k = at + i * step
    local value = f(READS)
    if MOVED then moved() end
    if value then
      if type(value) ~= 'number' then value = number('NAME', 5, value) end
      write(p1, k, value)
    end
  end
  return KEPT
end]]

-- Returns `form` for each tensor, with its position for every #.
local function forEach(tensors, form, between)
  local parts = {}
  for i = 1, tensors do parts[i] = form:gsub('#', i) end
  return table.concat(parts, between)
end

local function textOf(name, tensors, template, at)
  local parts = {
    NAME = name, LENT = forEach(tensors, 'lent#, first#, memory#, storage#', ', '), KEPT = forEach(tensors, 'lent#', ', '),
    POINTERS = forEach(tensors, 'local p#, b#, s# = cast(pointer, first#), cast(bytes, memory#), cast(storages, storage#)', '\n  '),
    READS = forEach(tensors, 'read(p#, i)', ', '):gsub('i', at, 1), MOVED = forEach(tensors, 's#.data ~= b#', ' or '),
  }
  return (template:gsub('%u%u%u%u+', parts))
end

-- ---- the cached loops ---------------------------------------------------------------------------------------------------------------

local MOST = 500      -- cached loops per method and type
local CLOSURES = 4    -- after this number of closures of a function, LuaJIT compiles for the function instead of the closure

local element_loops = {}

local function makeLoop(method, dtype)
  local kind = C.dtypes[dtype].torch
  local make = assert(loadstring(method.text, '=' .. method.name))
  local write = writers[kind] or writeInteger
  return make(values.reader(kind), write, write == writeComplex and complexNumber or number, type, raiseMoved, cast,
    ffi.typeof(element.ctypes[kind] .. ' *'), storages, bytes)
end

local function noLoops() return { settled = {}, loops = {}, closures = {}, recent = setmetatable({}, { __mode = 'v' }), count = 0 } end

-- Returns the loop for a function that is not the last one from its source position, or whose position is not settled yet.
local function otherLoop(method, dtype, place, f)
  local known = method[dtype]
  if not known or known.count >= MOST then
    known = noLoops()
    method[dtype] = known
  end
  if known.recent[place] == f then return known.loops[place] end
  local closures = (known.closures[place] or 0) + 1
  if closures == 1 then known.count = known.count + 1 end
  local loop = makeLoop(method, dtype)
  known.loops[place], known.closures[place], known.recent[place] = loop, closures, f
  if closures >= CLOSURES then known.settled[place] = loop end
  return loop
end

--- Returns a method's loops.
-- @string name
-- @int tensors number of tensors
-- @bool isStrided whether elements of the first one may be strided
-- @treturn function (dtype, counted from 1, source position of the function, function) -> loop
function element_loops.of(name, tensors, isStrided)
  local method = { name = name, text = isStrided and textOf(name, tensors, strided, 'k') or textOf(name, tensors, dense, 'i') }
  return function(dtype, place, f)
    local known = method[dtype]
    local loop = known and known.settled[place]
    if loop then return loop end
    return otherLoop(method, dtype, place, f)
  end
end

return element_loops
