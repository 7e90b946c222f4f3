-- Reductions that ignore NaN.
local torch = require 'torch'
local declare = require('torch.op').declare

-- Returns x with `value` in place of NaN, and a mask of NaN; integers have none.
local function without(x, value)
  if not x:isFloatingPoint() then return x end
  local missing = torch.isnan(x)
  return torch.where(missing, value, x), missing
end

declare {
  name = 'nanmean', signature = '[res] x:tensor dim:dim?', result = 'float', integers = 'kept', ulp = 4,
  precision = 'float32',
  doc = 'Mean of the elements other than NaN, a number; or along dim, which keeps size 1. If all are NaN: NaN.',
  samples = '{randn(3, 4)}, {randn(3, 4), 1}, {randn(2, 3, 4), -2}, {full(nan, 2, 3), 1}, {full(nan)}',
  forward = function(x, dim)
    if not x:isFloatingPoint() then return torch.mean(x, dim) end
    local present = torch.eq(torch.isnan(x), 0)
    if not dim then return torch.nansum(x) / torch.sum(present) end
    return torch.cdiv(torch.nansum(x, dim), torch.sum(present:_as 'Long', dim):typeAs(x))
  end,
}

local function extremum(name, find, adjective, worst)
  declare {
    name = name, signature = '[values indices] x:tensor dim:dim?',
    doc = adjective .. [[ element other than NaN, a number; or along dim, which keeps size 1, with its position from 1
as a LongTensor, the first one on ties. If all are NaN: NaN, at position 1. Errors: no elements.]],
    samples = '{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(nan)}, {full(nan, 2, 3), 2}',
    forward = function(x, dim)
      local present, missing = without(x, worst)
      if not missing then return find(x, dim) end
      if not dim then return find(missing:nElement() > 0 and torch.all(missing) and x or present) end
      local values, indices = find(present, dim)
      return torch.where(torch.min(missing, dim), 0 / 0, values), indices
    end,
  }
end
extremum('nanmax', torch.max, 'Largest', -math.huge)
extremum('nanmin', torch.min, 'Smallest', math.huge)

-- Returns deviations from the mean of the numbers, 0 for NaN, as rows along one dimension; the count of numbers, and that dimension.
local function deviations(x, dim)
  if not dim then x, dim = torch.reshape(x, x:nElement()), 1 end
  local missing = torch.isnan(x)
  local count = torch.sum(torch.eq(missing, 0):_as 'Long', dim):typeAs(x)
  local mean = torch.cdiv(torch.nansum(x, dim), count)
  return torch.where(missing, 0, torch.csub(x, torch.expand(mean, x:size()))), count, dim
end

-- Returns the divisor of a sum: NaN if there are no numbers.
local function divisor(count, biased)
  return torch.where(torch.eq(count, 0), 0 / 0, biased and count or torch.add(count, -1))
end

local samples = '{randn(3, 4)}, {randn(3, 4), true}, {randn(3, 4), 1}, {randn(3, 4), 2, true}, {randn(2, 3, 4), -2}, {full(nan, 2, 3), 1}'
local about = [[ of the elements other than NaN, a number; or along dim, which keeps size 1: divided by n - 1, or by n if biased, where n
is the number of these elements. If there is none, or only one unless biased: NaN.]]

declare {
  name = 'nanvar', signature = '[res] x:tensor dim:dim? biased:boolean=false', forms = 'x dim biased | x biased',
  result = 'float', ulp = 16,
  precision = 'float32',
  doc = 'Variance' .. about, samples = samples,
  forward = function(x, dim, biased)
    local off, count, along = deviations(x, dim)
    local result = torch.cdiv(torch.sum(torch.square(off), along), divisor(count, biased))
    return dim and result or torch.sum(result)
  end,
}

declare {
  name = 'nanstd', signature = '[res] x:tensor dim:dim? biased:boolean=false', forms = 'x dim biased | x biased',
  result = 'float', ulp = 16,
  precision = 'float32',
  doc = 'Standard deviation' .. about, samples = samples,
  forward = function(x, dim, biased)
    local off, count, along = deviations(x, dim)
    local result = torch.cdiv(torch.norm(off, 2, along), torch.sqrt(divisor(count, biased)))       -- its gradient at 0 is 0
    return dim and result or torch.sum(result)
  end,
}
