--- x:at(i, j, ...) and x:setAt(i, j, ..., value): one element, with a position for each dimension. LuaJIT compiles them as x[{ i, j }].
-- @module torch.index.at
local ffi = require 'ffi'
local class, check = require 'torch.class', require 'torch.check'
local element = require 'torch.index.element'
local places = require 'torch.index.places'

local MOST = 8      -- dimensions

local methods = {}

-- ---- errors -------------------------------------------------------------------------------------------------------------------------

-- Raises the error for positions that are for no element of t; those after the dimensions are `extra`.
local function refusePositions(name, t, positions, count)
  local dims = t:dim()
  if dims == 0 or dims > MOST then
    check.raise(('%s: self: %d dimensions, expected 1 to %d'):format(name, dims, MOST), 'shape')
  end
  if count ~= dims then
    check.raise(('%s: positions: %d, expected %d, one for each dimension'):format(name, count, dims), 'shape')
  end
  for d = 1, dims do
    local size, position = t:size(d), positions[d]
    local isWhole = type(position) == 'number' and position % 1 == 0
    if not isWhole or position == 0 or position > size or position < -size then
      local message = ('%s: position %d: %s, expected 1 to %d, or -1 for the last'):format(name, d, check.describe(position),
        size)
      check.raise(message, isWhole and 'range' or nil)
    end
  end
end

local function checkTensor(name, t)
  if not element.classes[getmetatable(t)] then check.raise(('%s: self: %s, expected a tensor'):format(name, class.type(t))) end
end

-- The number of positions: those up to the last that is not nil.
local function countOf(list, most)
  for i = most, 1, -1 do
    if list[i] ~= nil then return i end
  end
  return 0
end

local function refuseAt(t, ...)
  checkTensor('at', t)
  local positions = { ... }
  refusePositions('at', t, positions, countOf(positions, MOST + 1))
end

local function refuseSetAt(t, ...)
  checkTensor('setAt', t)
  local list = { ... }
  local count = countOf(list, MOST + 2)
  local value = list[count]
  if count == t:dim() then value, count = nil, count + 1 end
  refusePositions('setAt', t, list, count - 1)
  check.raise(('setAt: value: %s, expected a number'):format(check.describe(value)))
end

-- ---- the methods --------------------------------------------------------------------------------------------------------------------

local template = [[
local cast, getmetatable, type, viewPtr, places, classes, refuseAt, refuseSetAt = ...

local function at(t, KEYS, more)
  local metatable = getmetatable(t)
  if metatable ~= nil and classes[metatable] and more == nil then
    local view = cast(viewPtr, t)
    local count, key = view.ndim
    GET
    if key and places[count](view, key) then return (metatable.__index(t, key)) end
  end
  return refuseAt(t, KEYS, more)
end

local function setAt(t, KEYS, kLAST, more)
  local metatable = getmetatable(t)
  if metatable ~= nil and classes[metatable] and more == nil then
    local view = cast(viewPtr, t)
    local count, key, value = view.ndim
    SET
    local kind = type(value)
    if key and (kind == 'number' or kind == 'cdata' or kind == 'boolean') and places[count](view, key) then
      metatable.__newindex(t, key, value)
      return t
    end
  end
  return refuseSetAt(t, KEYS, kLAST, more)
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
local at, setAt = assert(loadstring(text, source))(ffi.cast, getmetatable, type, view, places, element.classes, refuseAt, refuseSetAt)

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
