--- Normal distribution: density exp(-((x - loc) / scale)^2 / 2) / (scale sqrt(2 pi)).
-- @classmod distributions.Normal
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.ExponentialFamily'

local Normal = torch.class('distributions.Normal', 'distributions.ExponentialFamily')
Normal.hasRsample = true

--- @tparam number|torch.Tensor loc mean
-- @tparam number|torch.Tensor scale standard deviation, above 0
-- @tparam[opt] table options `validateArgs`
function Normal:__init(loc, scale, options)
  self:_declare({ { 'loc', constraints.real }, { 'scale', constraints.positive } }, { loc, scale }, options)
end

function Normal:_draw(sizes) return torch.cmul(self:_empty(sizes):normal(), self.scale) + self.loc end

function Normal:_logProb(x)
  return torch.square(torch.cdiv(x - self.loc, self.scale)) * -0.5 - torch.log(self.scale) - 0.5 * math.log(2 * math.pi)
end

function Normal:_cdf(x) return torch.erfc(torch.cdiv(self.loc - x, self.scale) * math.sqrt(0.5)) * 0.5 end
function Normal:_icdf(p) return torch.cmul(torch.erfinv(p * 2 - 1), self.scale) * math.sqrt(2) + self.loc end
function Normal:entropy() return torch.log(self.scale) + 0.5 * math.log(2 * math.pi) + 0.5 end
function Normal:mean() return self.loc end
function Normal:mode() return self.loc end
function Normal:variance() return torch.square(self.scale) end
function Normal:stddev() return self.scale end
function Normal:support() return constraints.real end

return Normal
