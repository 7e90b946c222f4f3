--- Generalised Pareto distribution: density (1 + k z)^(-1 / k - 1) / scale with z = (x - loc) / scale from 0 on, where k is the
-- concentration; exp(-z) / scale where k is 0. If k is negative, x is at most loc - scale / k.
-- @classmod distributions.GeneralizedPareto
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local GeneralizedPareto = torch.class('distributions.GeneralizedPareto', 'distributions.Distribution')
GeneralizedPareto.hasRsample = true

--- @tparam number|torch.Tensor loc smallest value
-- @tparam number|torch.Tensor scale above 0
-- @tparam number|torch.Tensor concentration k
-- @tparam[opt] table options `validateArgs`
function GeneralizedPareto:__init(loc, scale, concentration, options)
  self:_declare({
    { 'loc', constraints.real }, { 'scale', constraints.positive }, { 'concentration', constraints.real },
  }, { loc, scale, concentration }, options)
end

-- log(1 + k z) / k, and z where k is 0.
function GeneralizedPareto:_stretched(x)
  local z, k = torch.cdiv(x - self.loc, self.scale), self.concentration
  local isZero = torch.eq(k, 0)
  local safe = torch.where(isZero, 1, k)
  return torch.where(isZero, z, torch.cdiv(torch.log1p(torch.cmul(safe, z)), safe))
end

function GeneralizedPareto:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end
function GeneralizedPareto:_logProb(x) return -torch.cmul(self.concentration + 1, self:_stretched(x)) - torch.log(self.scale) end
function GeneralizedPareto:_cdf(x) return -torch.expm1(-self:_stretched(x)) end

function GeneralizedPareto:_icdf(p)
  local k, tail = self.concentration, -torch.log1p(-p)
  local isZero = torch.eq(k, 0)
  local safe = torch.where(isZero, 1, k)
  local z = torch.where(isZero, tail, torch.cdiv(torch.expm1(torch.cmul(safe, tail)), safe))
  return torch.cmul(z, self.scale) + self.loc
end

function GeneralizedPareto:entropy() return torch.log(self.scale) + self.concentration + 1 end

function GeneralizedPareto:mean()
  return self.loc + torch.cdiv(self.scale, 1 - torch.clamp(self.concentration, -math.huge, 1))
end

function GeneralizedPareto:mode() return self.loc end

function GeneralizedPareto:variance()
  local k = torch.clamp(self.concentration, -math.huge, 0.5)
  return torch.cdiv(torch.square(self.scale), torch.cmul(torch.square(1 - k), 1 - k * 2))
end

function GeneralizedPareto:support()
  local k = self.concentration
  local high = self.loc - torch.cdiv(self.scale, torch.where(torch.lt(k, 0), k, -1))
  return constraints.interval(self.loc, torch.where(torch.lt(k, 0), high, math.huge))
end

return GeneralizedPareto
