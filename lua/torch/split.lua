--- Tables of views: a tensor cut along a dimension.
-- @module torch.split
local torch = require 'torch'
local type = type

local parts = {}

-- A table given first receives the views, and is emptied before.
local function arguments(name, first, x, ...)
  if type(first) ~= 'table' then return arguments(name, {}, first, x, ...) end
  if not torch.isTensor(x) then error(name .. ': x: ' .. type(x) .. ' came, a tensor was expected', 3) end
  for key in pairs(first) do first[key] = nil end
  return first, x, ...
end

local function cut(name, result, x, size, dim)
  dim = dim or 1
  if type(size) ~= 'number' or size < 1 then error(name .. ': ' .. tostring(size) .. ' came, 1 or more was expected', 3) end
  local length = x:size(dim)
  for first = 1, length, size do result[#result + 1] = torch.narrow(x, dim, first, math.min(size, length - first + 1)) end
  return result
end

--- Views of `size` slices each along a dimension, the last one shorter where they don't divide it.
-- @tparam[opt] table result is emptied, and receives the views
-- @tparam torch.Tensor x
-- @tparam int size 1 or more
-- @tparam[opt=1] int dim
-- @treturn {torch.Tensor,...}
function parts.split(...)
  return cut('split', arguments('split', ...))
end

--- Views of equal length, at most `n` of them; the last one may be shorter, and there may be fewer.
-- @tparam[opt] table result is emptied, and receives the views
-- @tparam torch.Tensor x
-- @tparam int n 1 or more
-- @tparam[opt=1] int dim
-- @treturn {torch.Tensor,...}
function parts.chunk(...)
  local result, x, n, dim = arguments('chunk', ...)
  if type(n) ~= 'number' or n < 1 then error('chunk: n: ' .. tostring(n) .. ' came, 1 or more was expected', 2) end
  return cut('chunk', result, x, math.max(1, math.ceil(x:size(dim or 1) / n)), dim)
end

return parts
