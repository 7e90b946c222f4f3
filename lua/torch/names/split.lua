--- Splits a tensor along a dimension, into tables of views.
-- @module torch.names.split
local torch, check = require 'torch', require 'torch.check'
local type, tonumber, tostring = type, tonumber, tostring

local parts = {}

-- A table as the first argument is emptied, and then receives the views.
local function arguments(name, first, x, ...)
  if type(first) ~= 'table' then return arguments(name, {}, first, x, ...) end
  check.tensor(name, 'x', x)
  for key in pairs(first) do first[key] = nil end
  return first, x, ...
end

-- Describes numbers and strings by their values, anything else by its type.
local function describe(value) return (type(value) == 'number' or type(value) == 'string') and tostring(value) or torch.type(value) end

local function countOf(name, argument, value)
  local count = type(value) ~= 'table' and tonumber(value)
  if not (count and count >= 1) then check.raise(('%s: %s: %s, expected 1 or more'):format(name, argument, describe(value))) end
  return check.whole(name, argument, count)
end

local function cut(result, x, size, dim)
  local length = x:size(dim)
  for first = 1, length, size do result[#result + 1] = torch.narrow(x, dim, first, math.min(size, length - first + 1)) end
  return result
end

--- Returns views of `size` slices each along a dimension; the last one may be shorter.
-- @tparam[opt] table result is emptied, and receives the views
-- @tparam torch.Tensor x
-- @tparam int size 1 or more
-- @tparam[opt=1] int dim
-- @treturn {torch.Tensor,...}
function parts.split(...)
  local result, x, size, dim = arguments('split', ...)
  size, dim = countOf('split', 'size', size), check.dim('split', 'dim', x, dim or 1, true)
  return cut(result, x, size, dim)
end

--- Returns at most `n` views of equal length; the last one may be shorter, and there may be fewer.
-- @tparam[opt] table result is emptied, and receives the views
-- @tparam torch.Tensor x
-- @tparam int n 1 or more
-- @tparam[opt=1] int dim
-- @treturn {torch.Tensor,...}
function parts.chunk(...)
  local result, x, n, dim = arguments('chunk', ...)
  n, dim = countOf('chunk', 'n', n), check.dim('chunk', 'dim', x, dim or 1, true)
  return cut(result, x, math.max(1, math.ceil(x:size(dim) / n)), dim)
end

return parts
