--- Hypergeometric distribution: the number of marked ones among drawCount members of a population, of which markedCount are marked.
-- @classmod distributions.Hypergeometric
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local elements, discreteQuantile = require 'distributions.elements', require 'distributions.discrete_quantile'
local hypergeometric = require 'distributions.hypergeometric_sums'
local noGrad = require('autograd.mode').noGrad
require 'distributions.Distribution'

local Hypergeometric = torch.class('distributions.Hypergeometric', 'distributions.Distribution')

--- @tparam number|torch.Tensor population number of members, 0 or more
-- @tparam number|torch.Tensor markedCount number of marked members, up to population
-- @tparam number|torch.Tensor drawCount number of members drawn, up to population
-- @tparam[opt] table options `validateArgs`
function Hypergeometric:__init(population, markedCount, drawCount, options)
  local kind = constraints.nonnegativeInteger
  self:_declare({ { 'population', kind }, { 'markedCount', kind }, { 'drawCount', kind } }, { population, markedCount, drawCount }, options)
  for _, name in ipairs { 'markedCount', 'drawCount' } do self:_verify(name, constraints.integerInterval(0, self.population)) end
end

-- The smallest and the largest value.
function Hypergeometric:_low() return torch.clamp(self.drawCount + self.markedCount - self.population, 0, math.huge) end
function Hypergeometric:_high() return torch.cmin(self.drawCount, self.markedCount) end

-- The logarithm of n choose k.
local function logChoose(n, k) return -torch.log(n + 1) - torch.betaln(k + 1, n - k + 1) end

function Hypergeometric:_logProb(x)
  local n, marked, drawn = self.population, self.markedCount, self.drawCount
  return logChoose(marked, x) + logChoose(n - marked, drawn - x) - logChoose(n, drawn)
end

-- Applies a function of the parameters, the mode, its probability, and x.
function Hypergeometric:_walk(f, x)
  return noGrad(function()
    local mode = self:mode()
    local top = torch.exp(self:_logProb(mode))
    return elements.map(f, 1, self.population, self.markedCount, self.drawCount, mode, top, x):typeAs(x)
  end)
end

function Hypergeometric:_cdf(x) return self:_walk(hypergeometric.cdf, torch.floor(x)) end
function Hypergeometric:_draw(sizes) return self:_walk(hypergeometric.invert, self:_empty(sizes):uniform()) end
function Hypergeometric:_icdf(p) return discreteQuantile(self, p, self:_low(), self:_high()) end
function Hypergeometric:entropy() return self:_walk(hypergeometric.entropy, torch.mul(self.population, 0)) end

function Hypergeometric:_share() return torch.cdiv(self.markedCount, torch.clamp(self.population, 1, math.huge)) end
function Hypergeometric:mean() return torch.cmul(self.drawCount, self:_share()) end

function Hypergeometric:mode()
  local most = torch.floor(torch.cdiv(torch.cmul(self.drawCount + 1, self.markedCount + 1), self.population + 2))
  return torch.cmin(torch.cmax(most, self:_low()), self:_high())
end

function Hypergeometric:variance()
  local rest = torch.cdiv(self.population - self.drawCount, torch.clamp(self.population - 1, 1, math.huge))
  return torch.cmul(torch.cmul(self:mean(), 1 - self:_share()), rest)
end

function Hypergeometric:support() return constraints.integerInterval(self:_low(), self:_high()) end

return Hypergeometric
