--- What plots are given: tensors, lists, numbers, as plain lists of numbers.
-- @module plot.values
local torch = require 'torch'
local check = require 'torch.check'

local values = {}

local function fail(where, name, value, expected)
  local shown = torch.isTensor(value) and ('sizes [%s]'):format(table.concat(value:size():totable(), ', ')) or tostring(value)
  check.raise(('%s: %s: %s, expected %s'):format(where, name, shown, expected))
end

--- A list of numbers.
-- @string where what messages begin with
-- @string name of the argument
-- @param value a tensor (any sizes, taken in order), a storage or a list
-- @tparam[opt] int count of numbers there must be; a single number stands for as many
-- @treturn {number,...} a new list
function values.list(where, name, value, count)
  local list
  if type(value) == 'number' and count then
    list = {}
    for i = 1, count do list[i] = value end
  elseif torch.isTensor(value) then
    list = value:nElement() == 0 and {} or value:double():contiguous():view(-1):totable()
  elseif torch.isStorage(value) or type(value) == 'table' then
    list = torch.isStorage(value) and value:totable() or { unpack(value, 1, #value) }
    for i, x in ipairs(list) do
      if type(x) ~= 'number' then fail(where, ('%s[%d]'):format(name, i), x, 'a number') end
    end
  else
    fail(where, name, value, 'a tensor or a list of numbers')
  end
  if count and #list ~= count then check.raise(('%s: %s: %d numbers, expected %d'):format(where, name, #list, count)) end
  return list
end

--- A matrix, as a tensor of doubles.
-- @string where
-- @string name
-- @param value a matrix, or a list of rows
-- @treturn torch.DoubleTensor
function values.matrix(where, name, value)
  if type(value) == 'table' then value = torch.DoubleTensor(value) end
  if not torch.isTensor(value) or value:dim() ~= 2 or value:nElement() == 0 then fail(where, name, value, 'a matrix') end
  return value:double():contiguous()
end

--- The least and the greatest of the numbers that a scale shows.
-- @tparam {number,...} list
-- @tparam function shows
-- @treturn ?number
-- @treturn ?number
function values.range(list, shows)
  local low, high
  for i = 1, #list do
    local x = list[i]
    if shows(x) then
      if not low or x < low then low = x end
      if not high or x > high then high = x end
    end
  end
  return low, high
end

return values
