--- Weibull distribution: density k / scale (x / scale)^(k - 1) exp(-(x / scale)^k), where k is the concentration.
-- @classmod distributions.Weibull
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local euler = 0.57721566490153286      -- Euler's constant

local Weibull = torch.class('distributions.Weibull', 'distributions.Distribution')
Weibull.hasRsample = true

--- @tparam number|torch.Tensor scale above 0
-- @tparam number|torch.Tensor concentration above 0
-- @tparam[opt] table options `validateArgs`
function Weibull:__init(scale, concentration, options)
  self:_declare({ { 'scale', constraints.positive }, { 'concentration', constraints.positive } }, { scale, concentration }, options)
end

function Weibull:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end
function Weibull:_power(x) return torch.cpow(torch.cdiv(x, self.scale), self.concentration) end

function Weibull:_logProb(x)
  local k = self.concentration
  return torch.log(torch.cdiv(k, self.scale)) + torch.cmul(k - 1, torch.log(torch.cdiv(x, self.scale))) - self:_power(x)
end

function Weibull:_cdf(x) return -torch.expm1(-self:_power(x)) end
function Weibull:_icdf(p) return torch.cmul(self.scale, torch.cpow(-torch.log1p(-p), torch.cinv(self.concentration))) end

function Weibull:entropy()
  local k = self.concentration
  return (1 - torch.cinv(k)) * euler + torch.log(torch.cdiv(self.scale, k)) + 1
end

-- The mean of the n-th power.
function Weibull:_moment(n) return torch.cmul(torch.pow(self.scale, n), torch.exp(torch.lgamma(torch.cinv(self.concentration) * n + 1))) end

function Weibull:mean() return self:_moment(1) end

function Weibull:mode()
  local k = self.concentration
  return torch.cmul(self.scale, torch.cpow(torch.cdiv(torch.clamp(k - 1, 0, math.huge), k), torch.cinv(k)))
end

function Weibull:variance() return self:_moment(2) - torch.square(self:mean()) end
function Weibull:support() return constraints.positive end

return Weibull
