--- Quantiles of discrete distributions: the smallest whole number with enough probability up to it, by halving.
-- @module distributions.discrete_quantile
local torch = require 'torch'
local noGrad = require('autograd.mode').noGrad

-- Beyond this, steps of 1 are lost.
local largest = 2 ^ 53

-- Bounds of the quantile: too low ones, and enough.
local function bracket(self, p, low, high)
  local isEnd = high and torch.ge(p, 1) or torch.eq(p, p * 0 + 1)
  local target = torch.where(isEnd, 0, p)      -- the end of the support is put in afterwards
  local below, step = p * 0 + low - 1, torch.clamp(torch.ceil(self:stddev()), 1, largest) + p * 0
  local enough = torch.clamp(torch.floor(self:mean()) + p * 0, 0, largest)
  enough = torch.cmax(enough, below + 1)
  if high then enough = torch.cmin(enough, high + p * 0) end
  for _ = 1, 60 do
    local isShort = torch.lt(self:_cdf(enough), target)
    if not torch.any(isShort) then break end
    below = torch.where(isShort, enough, below)
    local further = enough + step
    enough = torch.where(isShort, high and torch.cmin(further, high + p * 0) or further, enough)
    step = step * 2
  end
  return below, enough, target, isEnd
end

local function quantile(self, p, low, high)
  local below, enough, target, isEnd = bracket(self, p, low, high)
  for _ = 1, 64 do
    local isOpen = torch.gt(enough - below, 1)
    if not torch.any(isOpen) then break end
    local middle = torch.floor((below + enough) * 0.5)
    local reaches = torch.cmul(torch.ge(self:_cdf(torch.cmax(middle, p * 0 + low)), target), torch.ge(middle, p * 0 + low))
    enough = torch.where(torch.cmul(isOpen, reaches), middle, enough)
    below = torch.where(torch.cmul(isOpen, torch.eq(reaches, 0)), middle, below)
  end
  return torch.where(isEnd, high and high + p * 0 or math.huge, enough)
end

--- The smallest whole number k of the support with cdf(k) of at least p.
-- @tparam distributions.Distribution self
-- @tparam torch.Tensor p of the batch's sizes
-- @tparam number|torch.Tensor low the first number of the support
-- @tparam ?torch.Tensor high the last one; without it the quantile of 1 is infinite
-- @treturn torch.Tensor without gradients
return function(self, p, low, high) return noGrad(quantile, self, p:detach(), low, high) end
