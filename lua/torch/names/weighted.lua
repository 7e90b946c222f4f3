--- Covariances and correlations of weighted observations: weightedCov and weightedCorrcoef (numpy.cov's fweights and aweights).
-- @module torch.names.weighted
local torch, check = require 'torch', require 'torch.check'
local asFloats = require 'torch.names.as_floats'
local sizesOf = require('torch.check.message').sizes

local weighted = {}

local function checked(where, name, w, x)
  if w == nil then return nil end
  check.tensor(where, name, w)
  if w:dim() ~= 1 or w:nElement() ~= x:size(2) then
    check.raise(('%s: %s: %s, expected a weight for each of %d observations'):format(where, name, sizesOf(w), x:size(2)), 'shape')
  end
  if torch.any(torch.lt(w, 0)) then check.raise(('%s: %s: a negative weight, expected 0 or more'):format(where, name), 'range') end
  return w:typeAs(x)
end

local function products(where, x, counts, weights, biased)
  check.tensor(where, 'x', x)
  check.flag(where, 'biased', biased)
  if x:dim() == 1 then x = torch.view(torch.contiguous(x), 1, x:nElement()) end
  if x:dim() ~= 2 or x:nElement() == 0 then
    check.raise(('%s: x: %s, expected a matrix with a variable a row, or a vector'):format(where, sizesOf(x)), 'shape')
  end
  x = asFloats(x)
  counts, weights = checked(where, 'counts', counts, x), checked(where, 'weights', weights, x)
  local w = counts and weights and torch.cmul(counts, weights) or counts or weights or torch.ones(x:size(2), x:type())
  local row, total = torch.expand(w:view(1, w:nElement()), x:size()), torch.sum(w, 1)
  local means = torch.cdiv(torch.sum(torch.cmul(x, row), 2), torch.expand(total:view(1, 1), x:size(1), 1))
  local off = torch.csub(x, torch.expand(means, x:size()))
  local divisor = total
  if not biased then
    local lost = weights and torch.cdiv(torch.sum(torch.cmul(w, weights), 1), total) or torch.add(torch.mul(total, 0), 1)
    divisor = torch.csub(total, lost)
  end
  local sums = torch.mm(torch.cmul(off, row), torch.t(off))
  return torch.cdiv(sums, torch.expand(divisor:view(1, 1), sums:size()))
end

--- Returns covariances of the rows of a matrix, each a variable with one observation per column.
-- @tparam torch.Tensor x (variables, observations), or a vector
-- @tparam[opt] torch.Tensor counts how often each observation occurred
-- @tparam[opt] torch.Tensor weights how important each observation is
-- @bool[opt=false] biased whether sums are divided by that of the weights, otherwise by numpy.cov's rule
-- @treturn torch.Tensor (variables, variables); tracked if x or the weights are
-- @raise if there is not a weight for each observation, or one is negative
function weighted.weightedCov(x, counts, weights, biased) return products('weightedCov', x, counts, weights, biased) end

--- Returns correlations of the rows of a matrix likewise.
-- @tparam torch.Tensor x (variables, observations)
-- @tparam[opt] torch.Tensor counts how often each observation occurred
-- @tparam[opt] torch.Tensor weights how important each observation is
-- @treturn torch.Tensor (variables, variables), from -1 to 1
-- @raise if there is not a weight for each observation, or one is negative
function weighted.weightedCorrcoef(x, counts, weights)
  local sums = products('weightedCorrcoef', x, counts, weights, true)
  local deviation = torch.sqrt(torch.diag(sums))
  return torch.cdiv(sums, torch.ger(deviation, deviation))
end

return weighted
