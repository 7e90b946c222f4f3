--- Calling a Lua function for each element, in row-major order.
-- The loop is made anew for each place in the source that a callback comes from, so that LuaJIT compiles every callback into a loop of
-- its own: in a shared one each further callback would be a side branch, and beyond a hundred would not be compiled at all.
-- @module torch.apply
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.canonical'
local class = require 'torch.class'
local element = require 'torch.element'

local cast, tonumber, type, error = ffi.cast, tonumber, type, error
local int64, uint64 = ffi.typeof 'int64_t', ffi.typeof 'uint64_t'
local exact, limit, least = 9007199254740992LL, 2 ^ 63, -0x7fffffffffffffffLL - 1LL

local methods = {}

-- ---- elements as Lua sees them ------------------------------------------------------------------------------------------------------

local function readPlain(p, i) return p[i] end

local function readLong(p, i)
  local value = p[i]
  if value <= exact and value >= -exact then return tonumber(value) end
  return value
end

-- A number as 64 bits; what doesn't fit them, NaN included, becomes the least one, as everywhere.
local function whole(value)
  if type(value) == 'cdata' then return value end
  if value < limit and value >= -limit then return cast(int64, value) end
  return least
end

local function writeFloat(p, i, value) p[i] = type(value) == 'number' and value or tonumber(value) end
local function writeInteger(p, i, value) p[i] = whole(value) end
local function writeBool(p, i, value) p[i] = value ~= 0 and 1 or 0 end

local readers = { Float = canonical.Float, Double = canonical.Double, Long = readLong }
local writers = { Float = writeFloat, Double = writeFloat, Bool = writeBool }

-- What a callback returned, as a number. An error blames the caller of the method, four calls up.
local function number(name, value)
  if type(value) == 'number' then return value end
  if type(value) == 'cdata' and (ffi.istype(int64, value) or ffi.istype(uint64, value)) then return value end
  local meant = type(value) == 'string' and tonumber(value)
  if meant then return meant end
  error(name .. ': function: it returned a ' .. class.type(value) .. ', a number or nil was expected', 5)
end

-- ---- the loops ----------------------------------------------------------------------------------------------------------------------

local template = [[
local read, write, number, type, moved = ...
return function(f, p, at, step, q, r, first, last, PLACES)
  for i = first, last do
    local k = at + i * step
    local value = f(ELEMENTS)
    if MOVED then moved() end
    if value then
      if type(value) ~= 'number' then value = number('NAME', value) end
      write(p, k, value)
    end
  end
end]]

local places = { 'sp, bp', 'sp, bp, sq, bq', 'sp, bp, sq, bq, sr, br' }
local elements = { 'read(p, k)', 'read(p, k), read(q, i)', 'read(p, k), read(q, i), read(r, i)' }
local moved = { 'sp.data ~= bp', 'sp.data ~= bp or sq.data ~= bq', 'sp.data ~= bp or sq.data ~= bq or sr.data ~= br' }

local loops, count = {}, 0
local MOST = 500      -- loops that are kept
local CLOSURES = 4    -- after so many closures of one function, LuaJIT compiles for the function and no longer for the closure

local function raiseMoved() error('a tensor was resized or given other memory by the function that is applied to it', 0) end

local function loopFor(name, kind, tensors, f)
  local info = debug.getinfo(f, 'S')
  local key = ('%s %s %s:%d'):format(name, kind, info.what == 'C' and tostring(f) or info.source, info.linedefined)
  local known = loops[key]
  if known and (known.f == f or known.closures >= CLOSURES) then return known.loop end
  if count >= MOST then loops, count = {}, 0 end
  local parts = { PLACES = places[tensors], ELEMENTS = elements[tensors], MOVED = moved[tensors], NAME = name }
  local text = template:gsub('%u%u%u%u+', parts)
  local make = assert(loadstring(text, '=' .. name))
  local loop = make(readers[kind] or readPlain, writers[kind] or writeInteger, number, type, raiseMoved)
  loops[key], count = { loop = loop, f = f, closures = known and known.closures + 1 or 1 }, count + (known and 0 or 1)
  return loop
end

-- ---- tensors ------------------------------------------------------------------------------------------------------------------------

-- x under a name of the call's own: a finaliser may run wherever Lua allocates, and set x to another storage or resize it.
local function own(x) return C.isTensor(x) and C.detach(x) or x end

local function check(name, tracked, f, x, ...)
  if not C.isTensor(x) then error(name .. ': self: ' .. class.type(x) .. ' came, a tensor was expected', 3) end
  for i = 1, select('#', ...) do
    local other = select(i, ...)
    local tensor = C.isTensor(other)
    if not tensor or other:type() ~= x:type() or other:nElement() ~= x:nElement() then
      local came = tensor and ('%s with %d elements'):format(other:type(), other:nElement()) or class.type(other)
      error(('%s: tensor %d: size mismatch: %s came, %s with %d elements was expected'):format(name, i, came, x:type(), x:nElement()), 3)
    end
  end
  for i = 0, select('#', ...) do
    local device = (i == 0 and x or select(i, ...)):device()
    if device ~= 'cpu' then
      local which = i == 0 and 'self' or 'tensor ' .. i
      error(("%s: %s: it is on %s, a tensor on cpu was expected; x:to 'cpu' brings it"):format(name, which, device), 3)
    end
  end
  if type(f) ~= 'function' then error(name .. ': function: ' .. class.type(f) .. ' came, a function was expected', 3) end
  if tracked and C.gradMode() then
    error(name .. ': self: a tracked tensor came, but the tape cannot follow a Lua function; do it to x:detach() or inside torch.noGrad', 3)
  end
end

-- A tensor of x's elements in row-major order in memory that Lua can read: x itself if possible.
local function dense(x, readable) return readable and x:contiguous() or x:double() end

-- What a loop needs of a tensor: a pointer to its elements in memory that is lent, its storage, and where that was then.
local function place(x, lent)
  return lent:data(), element.storageOf(x), element.storageOf(lent).data
end

-- Iterates over the rows along the last dimension as at, step, first, last: element i of the tensor, first <= i <= last, lies at + i * step
-- behind its first one. A contiguous tensor is one row.
local function rows(x)
  local rowCount, n, step, leading = 1, x:nElement(), 1, {}
  if not x:isContiguous() then
    local dims = x:dim()
    n, step = x:size(dims), x:stride(dims)
    rowCount = x:nElement() / n
    for dim = dims - 1, 1, -1 do leading[#leading + 1] = { size = x:size(dim), stride = x:stride(dim) } end
  end
  local row = -1
  return function()
    row = row + 1
    if row == rowCount then return end
    local at, rest = -row * n * step, row
    for _, dim in ipairs(leading) do
      at = at + rest % dim.size * dim.stride
      rest = math.floor(rest / dim.size)
    end
    return at, step, row * n, row * n + n - 1
  end
end

local function run(name, f, x, y, z)
  if x:nElement() == 0 then return end
  local kind = x:type():match '%.(%w+)Tensor$'
  local readable = kind ~= 'Half' and kind ~= 'BFloat16'
  -- What f does to x is there for its next call: elements are written where they lie, as the others are read once from dense memory.
  local work = readable and x or x:double()
  local lent = C.lend(work)      -- a pointer does not keep its memory alive: these tensors do, until the loop is done
  local p, sp, bp = place(work, lent)
  local q, sq, bq, r, sr, br, lentY, lentZ
  if y then
    y = dense(y, readable)
    lentY = C.lend(y)
    q, sq, bq = place(y, lentY)
  end
  if z then
    z = dense(z, readable)
    lentZ = C.lend(z)
    r, sr, br = place(z, lentZ)
  end
  local loop = loopFor(name, readable and kind or 'Double', z and 3 or y and 2 or 1, f)
  element.touch(x)      -- at once: f may raise an error when elements have changed
  for at, step, first, last in rows(work) do loop(f, p, at, step, q, r, first, last, sp, bp, sq, bq, sr, br) end
  if rawequal(work, x) then element.touch(x) else x:copy(work) end
  return work, y, z, lent, lentY, lentZ
end

--- x = f(x) for each element; where f returns nothing the element stays.
-- @tparam torch.Tensor x
-- @tparam function f number -> number or nil
-- @treturn torch.Tensor x
-- @raise if f returns anything else, or x is tracked while the tape records
function methods.apply(x, f)
  local target = own(x)
  check('apply', C.tracked(x), f, target)
  run('apply', f, target)
  return x
end

--- x = f(x, y) for each pair of elements; where f returns nothing the element stays.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y the same type and number of elements
-- @tparam function f
-- @treturn torch.Tensor x
-- @raise as apply
function methods.map(x, y, f)
  local target, other = own(x), own(y)
  check('map', C.tracked(x) or C.tracked(y), f, target, other)
  run('map', f, target, other)
  return x
end

--- x = f(x, y, z) for each triple of elements.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y the same type and number of elements
-- @tparam torch.Tensor z likewise
-- @tparam function f
-- @treturn torch.Tensor x
-- @raise as apply
function methods.map2(x, y, z, f)
  local target, second, third = own(x), own(y), own(z)
  check('map2', C.tracked(x) or C.tracked(y) or C.tracked(z), f, target, second, third)
  run('map2', f, target, second, third)
  return x
end

return methods
