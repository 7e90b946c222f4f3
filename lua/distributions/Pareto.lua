--- Pareto distribution: density alpha scale^alpha / x^(alpha + 1) for x from scale on.
-- @classmod distributions.Pareto
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local Pareto = torch.class('distributions.Pareto', 'distributions.Distribution')
Pareto.hasRsample = true

--- @tparam number|torch.Tensor scale smallest value, above 0
-- @tparam number|torch.Tensor alpha exponent, above 0
-- @tparam[opt] table options `validateArgs`
function Pareto:__init(scale, alpha, options)
  self:_declare({ { 'scale', constraints.positive }, { 'alpha', constraints.positive } }, { scale, alpha }, options)
end

function Pareto:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end

function Pareto:_logProb(x)
  return torch.log(self.alpha) + torch.cmul(self.alpha, torch.log(self.scale)) - torch.cmul(self.alpha + 1, torch.log(x))
end

function Pareto:_cdf(x) return -torch.expm1(torch.cmul(self.alpha, torch.log(torch.cdiv(self.scale, x)))) end
function Pareto:_icdf(p) return torch.cmul(self.scale, torch.exp(torch.cdiv(-torch.log1p(-p), self.alpha))) end
function Pareto:entropy() return torch.log(torch.cdiv(self.scale, self.alpha)) + torch.cinv(self.alpha) + 1 end

function Pareto:mean()
  local a = torch.clamp(self.alpha, 1, math.huge)
  return torch.cdiv(torch.cmul(a, self.scale), a - 1)
end

function Pareto:mode() return self.scale end

function Pareto:variance()
  local a = torch.clamp(self.alpha, 2, math.huge)
  return torch.cdiv(torch.cmul(torch.square(self.scale), a), torch.cmul(torch.square(a - 1), a - 2))
end

function Pareto:support() return constraints.greaterThanEq(self.scale) end

return Pareto
