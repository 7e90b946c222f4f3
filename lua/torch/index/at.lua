--- x:at(i, j, ...) and x:setAt(i, j, ..., value): one element, with a position for each dimension. LuaJIT compiles them as x[{ i, j }].
-- @module torch.index.at
local ffi = require 'ffi'
local class, check = require 'torch.class', require 'torch.check'
local element = require 'torch.index.element'
local places = require 'torch.index.places'

local MOST = 8      -- dimensions

local methods = {}

-- ---- other arguments ----------------------------------------------------------------------------------------------------------------

-- Checks the positions of an element, which may be FFI's integers; those become numbers.
local function checkPositions(name, t, positions, count)
  local dims = t:dim()
  if dims == 0 or dims > MOST then
    check.raise(('%s: self: %d dimensions, expected 1 to %d'):format(name, dims, MOST), 'shape')
  end
  if count ~= dims then
    check.raise(('%s: positions: %d, expected %d, one for each dimension'):format(name, count, dims), 'shape')
  end
  for d = 1, dims do
    local size, position = t:size(d), positions[d]
    if type(position) == 'cdata' then position = tonumber(position) or position end
    positions[d] = position
    local isWhole = type(position) == 'number' and position % 1 == 0
    if not isWhole or position == 0 or position > size or position < -size then
      local message = ('%s: position %d: %s, expected 1 to %d, or -1 for the last'):format(name, d, check.describe(position), size)
      check.raise(message, isWhole and 'range' or nil)
    end
  end
end

local function checkTensor(name, t)
  if not element.classes[getmetatable(t)] then check.raise(('%s: self: %s, expected a tensor'):format(name, class.type(t))) end
end

-- The number of arguments up to the last that is not nil.
local function countOf(list, most)
  for i = most, 1, -1 do
    if list[i] ~= nil then return i end
  end
  return 0
end

local function otherAt(t, ...)
  checkTensor('at', t)
  local positions = { ... }
  checkPositions('at', t, positions, countOf(positions, MOST + 1))
  return check.call(getmetatable(t).__index, t, positions)
end

local function isValueFor(t, value)
  if type(value) == 'boolean' then return t:type():find 'BoolTensor$' ~= nil end
  if type(value) ~= 'cdata' then return type(value) == 'number' end
  if ffi.istype('complex', value) or ffi.istype('complex float', value) then return t:isComplex() end
  return tonumber(value) ~= nil
end

local function otherSetAt(t, ...)
  checkTensor('setAt', t)
  local list, dims = { ... }, t:dim()
  local count = countOf(list, MOST + 2)
  if count ~= dims then count = math.max(count - 1, 0) end      -- else the value is missing
  local value = list[dims + 1]
  list[dims + 1] = nil
  checkPositions('setAt', t, list, count)
  if not isValueFor(t, value) then
    local expected = t:isComplex() and 'a number or a complex number' or 'a number'
    check.raise(('setAt: value: %s, expected %s'):format(check.describe(value), expected))
  end
  check.call(getmetatable(t).__newindex, t, list, value)
  return t
end

-- ---- the methods --------------------------------------------------------------------------------------------------------------------

local template = [[
local cast, getmetatable, type, viewPtr, places, classes, otherAt, otherSetAt = ...

local function at(t, KEYS, more)
  local metatable = getmetatable(t)
  if metatable ~= nil and classes[metatable] and more == nil then
    local view = cast(viewPtr, t)
    local count, key = view.ndim
    GET
    if key and places[count](view, key) then return (metatable.__index(t, key)) end
  end
  return otherAt(t, KEYS, more)
end

local function setAt(t, KEYS, kLAST, more)
  local metatable = getmetatable(t)
  if metatable ~= nil and classes[metatable] and more == nil then
    local view = cast(viewPtr, t)
    local count, key, value = view.ndim
    SET
    if key and type(value) == 'number' and places[count](view, key) then
      metatable.__newindex(t, key, value)
      return t
    end
  end
  return otherSetAt(t, KEYS, kLAST, more)
end

return at, setAt]]

-- Returns k1 to k<last>.
local function keys(last)
  local names = {}
  for i = 1, last do names[i] = 'k' .. i end
  return table.concat(names, ', ')
end

-- Returns the branches for each number of dimensions: `form` with k1, k2, ... for KEYS, and the next ones for NEXT and AFTER.
local function branches(form)
  local parts = {}
  for count = 1, MOST do
    local names = { KEYS = keys(count), NEXT = 'k' .. count + 1, AFTER = count < MOST and 'k' .. count + 2 or 'more' }
    parts[count] = ('if count == %d then '):format(count) .. form:gsub('%u%u%u%u+', names)
  end
  return table.concat(parts, '\n    else') .. '\n    end'
end

local text = template:gsub('%u%u%u+', {
  KEYS = keys(MOST), LAST = MOST + 1, GET = branches 'if NEXT == nil then key = { KEYS } end',
  SET = branches 'if AFTER == nil then key, value = { KEYS }, NEXT end',
}):gsub(('if k%d == nil then'):format(MOST + 1), 'if more == nil then')

local view, source = ffi.typeof 'const mt_tensor_view *', debug.getinfo(1, 'S').source
local at, setAt = assert(loadstring(text, source))(ffi.cast, getmetatable, type, view, places, element.classes, otherAt, otherSetAt)

--- Returns the element at a position in each dimension. In a compiled loop it costs a few nanoseconds, as `x[{ i, j }]` does, and
-- positions are checked; `x[i][j]` creates a tensor of the row first.
-- @function at
-- @tparam torch.Tensor x of 1 to 8 dimensions
-- @int ... a position for each dimension, from 1, or from -1 for the last one
-- @return the element: a number, or a complex number; a 64-bit integer that a number can't hold as FFI's
-- @raise if a position is no whole number or outside of its dimension, or for another number of positions
methods.at = at

--- Sets the element at a position in each dimension.
-- @function setAt
-- @tparam torch.Tensor x of 1 to 8 dimensions
-- @int ... a position for each dimension, as for `at`
-- @param value after the positions: a number, a complex number, or a boolean of a BoolTensor
-- @treturn torch.Tensor x
-- @raise as `at`, and for other values; nothing is written
methods.setAt = setAt

return methods
