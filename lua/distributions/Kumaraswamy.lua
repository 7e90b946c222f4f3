--- Kumaraswamy distribution: distribution function 1 - (1 - x^a)^b between 0 and 1.
-- @classmod distributions.Kumaraswamy
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local euler = 0.57721566490153286      -- Euler's constant

local Kumaraswamy = torch.class('distributions.Kumaraswamy', 'distributions.Distribution')
Kumaraswamy.hasRsample = true

--- @tparam number|torch.Tensor concentration1 a, above 0
-- @tparam number|torch.Tensor concentration0 b, above 0
-- @tparam[opt] table options `validateArgs`
function Kumaraswamy:__init(concentration1, concentration0, options)
  local declared = { { 'concentration1', constraints.positive }, { 'concentration0', constraints.positive } }
  self:_declare(declared, { concentration1, concentration0 }, options)
end

function Kumaraswamy:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end

-- log(1 - x^a)
function Kumaraswamy:_logRest(x) return torch.log1p(-torch.cpow(x, self.concentration1)) end

function Kumaraswamy:_logProb(x)
  local a, b = self.concentration1, self.concentration0
  return torch.log(a) + torch.log(b) + torch.cmul(a - 1, torch.log(x)) + torch.cmul(b - 1, self:_logRest(x))
end

function Kumaraswamy:_cdf(x) return -torch.expm1(torch.cmul(self.concentration0, self:_logRest(x))) end

function Kumaraswamy:_icdf(p)
  local a, b = self.concentration1, self.concentration0
  return torch.cpow(-torch.expm1(torch.cdiv(torch.log1p(-p), b)), torch.cinv(a))
end

function Kumaraswamy:entropy()
  local a, b = self.concentration1, self.concentration0
  local harmonic = torch.digamma(b + 1) + euler
  return 1 - torch.cinv(b) + torch.cmul(1 - torch.cinv(a), harmonic) - torch.log(a) - torch.log(b)
end

-- The mean of the n-th power.
function Kumaraswamy:_moment(n)
  local a, b = self.concentration1, self.concentration0
  local c = torch.cinv(a) * n + 1
  return torch.exp(torch.log(b) + torch.lgamma(c) + torch.lgamma(b) - torch.lgamma(c + b))
end

function Kumaraswamy:mean() return self:_moment(1) end

function Kumaraswamy:mode()
  local a, b = self.concentration1, self.concentration0
  local value = torch.cpow(torch.cdiv(a - 1, torch.cmul(a, b) - 1), torch.cinv(a))
  return torch.where(torch.gt(torch.lt(a, 1) + torch.lt(b, 1), 0), 0 / 0, value)
end

function Kumaraswamy:variance() return self:_moment(2) - torch.square(self:mean()) end
function Kumaraswamy:support() return constraints.unitInterval end

return Kumaraswamy
