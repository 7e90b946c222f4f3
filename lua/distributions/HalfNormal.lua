--- Half-normal distribution: the absolute value of a normal variable with mean 0.
-- @classmod distributions.HalfNormal
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local HalfNormal = torch.class('distributions.HalfNormal', 'distributions.Distribution')
HalfNormal.hasRsample = true

--- @tparam number|torch.Tensor scale standard deviation of the normal variable, above 0
-- @tparam[opt] table options `validateArgs`
function HalfNormal:__init(scale, options)
  self:_declare({ { 'scale', constraints.positive } }, { scale }, options)
end

function HalfNormal:_draw(sizes) return torch.cmul(self:_empty(sizes):normal():abs(), self.scale) end
function HalfNormal:_logProb(x)
  return torch.square(torch.cdiv(x, self.scale)) * -0.5 - torch.log(self.scale) + 0.5 * math.log(2 / math.pi)
end
function HalfNormal:_cdf(x) return torch.erf(torch.cdiv(x, self.scale) * math.sqrt(0.5)) end
function HalfNormal:_icdf(p) return torch.cmul(torch.erfinv(p), self.scale) * math.sqrt(2) end
function HalfNormal:entropy() return torch.log(self.scale) + 0.5 * math.log(math.pi / 2) + 0.5 end
function HalfNormal:mean() return self.scale * math.sqrt(2 / math.pi) end
function HalfNormal:mode() return torch.mul(self.scale, 0) end
function HalfNormal:variance() return torch.square(self.scale) * (1 - 2 / math.pi) end
function HalfNormal:support() return constraints.nonnegative end

return HalfNormal
