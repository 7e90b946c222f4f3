--- The place of an element in a storage, for a table with a position for each dimension: functions that LuaJIT compiles, one for each
-- number of dimensions. Where the table is a constructor in the same loop, compiled code creates no table.
-- @module torch.index.places
local ffi = require 'ffi'

local template = [[
local cast, int64, type, floor, ceil = ...
return function(view, key)
  local KEYS, rest = FIELDS, key[COUNT + 1]
  if rest ~= nil or OTHERS then return nil end
  local PLACES = VALUES
  EACH_OUTSIDE
  if view.stride[COUNT - 1] == 1 then return SUM_OF_DENSE end      -- the usual one, without a product
  return SUM
end]]

-- Returns `form` for each dimension, with its number for every # and the number before it for every @.
local function forEach(count, form, between)
  local parts = {}
  for i = 1, count do parts[i] = form:gsub('#', i):gsub('@', i - 1) end
  return table.concat(parts, between)
end

-- Compiled code has no instruction for the question whether a loop's integer is whole: integers that are the same value compare equal at
-- once, where numbers don't, because of NaN. A position before the first is, as an unsigned integer like the sizes, beyond all sizes, so
-- that one comparison checks a position.
local outside = [[if p# >= view.size[@] then
    p# = p# + view.size[@] + 1
    if k# >= 0 or p# >= view.size[@] then return nil end
  end]]

local function make(count)
  local text = template:gsub('%u%u%u[%u_]*', {
    COUNT = count, KEYS = forEach(count, 'k#', ', '), FIELDS = forEach(count, 'key[#]', ', '),
    OTHERS = forEach(count, "type(k#) ~= 'number' or cast(int64, floor(k#)) ~= cast(int64, ceil(k#))", ' or '),
    PLACES = forEach(count, 'p#', ', '), VALUES = forEach(count, 'cast(int64, k#) - 1', ', '),
    EACH_OUTSIDE = forEach(count, outside, '\n  '), SUM = 'view.offset' .. forEach(count, ' + p# * view.stride[@]'),
    SUM_OF_DENSE = 'view.offset' .. forEach(count - 1, ' + p# * view.stride[@]') .. ' + p' .. count,
  })
  return assert(loadstring(text, debug.getinfo(1, 'S').source))(ffi.cast, ffi.typeof 'int64_t', type, math.floor, math.ceil)
end

--- Number of dimensions -> function (mt_tensor_view, table of positions from 1, or from -1 for the last one) -> the place, counted from 0
-- in the storage; nil if a position is no whole number inside of its dimension, or positions are missing or too many. A tensor
-- of more than 8 dimensions has its sizes elsewhere.
local places = { [0] = function() return nil end }
return setmetatable(places, {
  __index = function(_, count)
    local place = count <= 8 and make(count) or places[0]
    places[count] = place
    return place
  end,
})
