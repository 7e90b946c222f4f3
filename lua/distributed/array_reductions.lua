--- Reductions of arrays over ranks. Each rank reduces its rows; the ranks' results are reduced in the order of the ranks, floats in
-- float64.
-- @module distributed.array
local torch = require 'torch'
local check = require 'torch.check'
local meta, objects, tensors = require 'distributed.array', require 'distributed.objects', require 'distributed.tensors'

local Array, mapped, refuse = meta._class, meta._mapped, meta._refuse

local function checkDim(self, name, dim)
  if dim ~= nil then check.int('torch.distributed.array: ' .. name, 'dim', dim, { min = 1, max = self:dim() }) end
end

-- Reduces the results of all ranks that have rows; `join` is an op of two tensors.
local function reduced(self, name, along, dim, join)
  local x, part = self._shard, nil
  checkDim(self, name, dim)
  if dim and dim > 1 then return mapped(self, name, function(rows) return (along(rows, dim)) end) end
  if x:size(1) > 0 then
    part = dim and (along(x, 1)) or (along(x))
    if torch.isTensor(part) and x:isFloatingPoint() then part = part:double() end
    if not torch.isTensor(part) then part = torch.DoubleTensor { part } end
  end
  local result
  for _, each in ipairs(objects.allGatherObject({ part }, { group = self._group })) do
    if each[1] then result = result and join(result, each[1]) or each[1] end
  end
  if not result then refuse(name, 'an array of no rows, expected one or more') end
  if not dim then return result[1] end
  return x:isFloatingPoint() and result:type(x:type()) or result
end

local block = 65536      -- rows that are converted to float64 at once

-- Returns the sum of the results of a function of blocks of rows, which are float64 if they are floats.
local function overBlocks(x, f)
  local sum
  for first = 1, x:size(1), block do
    local rows = x:narrow(1, first, math.min(block, x:size(1) - first + 1))
    if x:isFloatingPoint() then rows = rows:double() end
    local part = f(rows, first)
    sum = sum and sum + part or part
  end
  return sum
end
meta._overBlocks = overBlocks

local function sumOf(x, dim)
  if dim and dim > 1 then return torch.sum(x, dim) end
  return overBlocks(x, function(rows) return dim and torch.sum(rows, 1) or torch.sum(rows) end)
end

--- Returns the sum of all elements, or along a dimension, which stays with size 1.
-- @int[opt] dim
-- @return a number; with dim = 1 a tensor, the same on all ranks; else an array
function Array:sum(dim) return reduced(self, 'sum', sumOf, dim, torch.add) end

-- Returns the number of elements that a sum has.
local function countOf(self, dim)
  local count = self._rows
  for d = 2, dim and 1 or self:dim() do count = count * self._shard:size(d) end
  return count
end

--- Returns the mean, as `sum` does the sum.
-- @int[opt] dim
-- @return
function Array:mean(dim)
  checkDim(self, 'mean', dim)
  if dim and dim > 1 then return mapped(self, 'mean', torch.mean, dim) end
  return self:sum(dim) / countOf(self, dim)
end

--- Returns the smallest element, or those along a dimension.
-- @int[opt] dim
-- @return as of `sum`
function Array:min(dim) return reduced(self, 'min', torch.min, dim, torch.cmin) end

--- Returns the largest element, or those along a dimension.
-- @int[opt] dim
-- @return as of `sum`
function Array:max(dim) return reduced(self, 'max', torch.max, dim, torch.cmax) end

--- Returns the variance, in two passes: squared deviations from the mean, divided by the number of elements less 1.
-- @int[opt] dim
-- @return as of `sum`
function Array:var(dim)
  checkDim(self, 'var', dim)
  if dim and dim > 1 then return mapped(self, 'var', torch.var, dim) end
  local mean = self:mean(dim)
  local squares = self:map(function(rows)
    local centred = dim and torch.csub(rows, mean:expandAs(rows)) or torch.add(rows, -mean)
    return torch.cmul(centred, centred)
  end)
  return squares:sum(dim) / (countOf(self, dim) - 1)
end

--- Returns the standard deviation, the root of `var`.
-- @int[opt] dim
-- @return as of `sum`
function Array:std(dim)
  checkDim(self, 'std', dim)
  local var = self:var(dim)
  return type(var) == 'number' and math.sqrt(var) or var:sqrt()
end

--- Returns the Euclidean norm of all elements.
-- @treturn number
function Array:norm() return math.sqrt(self:map(function(rows) return torch.cmul(rows, rows) end):sum()) end

--- Returns the numbers of elements in equal bins between two bounds; those at the upper bound are in the last bin, others are left out. The
-- numbers are exact.
-- @int[opt=100] bins
-- @number[opt] min by default that of the array
-- @number[opt] max likewise
-- @treturn torch.DoubleTensor the same on all ranks
function Array:histc(bins, min, max)
  bins = check.int('torch.distributed.array: histc', 'bins', bins or 100, { min = 1 })
  for name, bound in pairs { min = min, max = max } do check.number('torch.distributed.array: histc', name, bound) end
  min, max = min or self:min(), max or self:max()
  if self._shard:nElement() == 0 then return tensors.allReduce(torch.DoubleTensor(bins):zero(), 'sum', { group = self._group }) end
  return tensors.allReduce(torch.histc(self._shard:contiguous():view(-1), bins, min, max):double(), 'sum', { group = self._group })
end

return Array
