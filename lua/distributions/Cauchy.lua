--- Cauchy distribution: density 1 / (pi scale (1 + ((x - loc) / scale)^2)), without mean and variance.
-- @classmod distributions.Cauchy
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local Cauchy = torch.class('distributions.Cauchy', 'distributions.Distribution')
Cauchy.hasRsample = true

--- @tparam number|torch.Tensor loc median
-- @tparam number|torch.Tensor scale half of the width at half of the maximum, above 0
-- @tparam[opt] table options `validateArgs`
function Cauchy:__init(loc, scale, options)
  self:_declare({ { 'loc', constraints.real }, { 'scale', constraints.positive } }, { loc, scale }, options)
end

function Cauchy:_draw(sizes) return torch.cmul(torch.tan((self:_uniform(sizes) - 0.5) * math.pi), self.scale) + self.loc end

function Cauchy:_logProb(x)
  return -torch.log1p(torch.square(torch.cdiv(x - self.loc, self.scale))) - torch.log(self.scale) - math.log(math.pi)
end

function Cauchy:_cdf(x) return torch.atan(torch.cdiv(x - self.loc, self.scale)) / math.pi + 0.5 end
function Cauchy:_icdf(p) return torch.cmul(torch.tan((p - 0.5) * math.pi), self.scale) + self.loc end
function Cauchy:entropy() return torch.log(self.scale) + math.log(4 * math.pi) end
function Cauchy:mean() return torch.mul(self.loc, 0 / 0) end
function Cauchy:mode() return self.loc end
function Cauchy:variance() return torch.mul(self.scale, math.huge) end
function Cauchy:support() return constraints.real end

return Cauchy
