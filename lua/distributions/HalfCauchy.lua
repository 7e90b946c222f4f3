--- Half-Cauchy distribution: the absolute value of a Cauchy variable with median 0.
-- @classmod distributions.HalfCauchy
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local HalfCauchy = torch.class('distributions.HalfCauchy', 'distributions.Distribution')
HalfCauchy.hasRsample = true

--- @tparam number|torch.Tensor scale scale of the Cauchy variable, above 0
-- @tparam[opt] table options `validateArgs`
function HalfCauchy:__init(scale, options)
  self:_declare({ { 'scale', constraints.positive } }, { scale }, options)
end

function HalfCauchy:_draw(sizes) return torch.cmul(torch.tan(self:_uniform(sizes) * (math.pi / 2)), self.scale) end

function HalfCauchy:_logProb(x)
  return -torch.log1p(torch.square(torch.cdiv(x, self.scale))) - torch.log(self.scale) + math.log(2 / math.pi)
end

function HalfCauchy:_cdf(x) return torch.atan(torch.cdiv(x, self.scale)) * (2 / math.pi) end
function HalfCauchy:_icdf(p) return torch.cmul(torch.tan(p * (math.pi / 2)), self.scale) end
function HalfCauchy:entropy() return torch.log(self.scale) + math.log(2 * math.pi) end
function HalfCauchy:mean() return torch.mul(self.scale, math.huge) end
function HalfCauchy:mode() return torch.mul(self.scale, 0) end
function HalfCauchy:variance() return torch.mul(self.scale, math.huge) end
function HalfCauchy:support() return constraints.nonnegative end

return HalfCauchy
