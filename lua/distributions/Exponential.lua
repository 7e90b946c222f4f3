--- Exponential distribution: density rate exp(-rate x) for x from 0 on.
-- @classmod distributions.Exponential
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.ExponentialFamily'

local Exponential = torch.class('distributions.Exponential', 'distributions.ExponentialFamily')
Exponential.hasRsample = true

--- @tparam number|torch.Tensor rate above 0, the inverse of the mean
-- @tparam[opt] table options `validateArgs`
function Exponential:__init(rate, options) self:_declare({ { 'rate', constraints.positive } }, { rate }, options) end

function Exponential:_draw(sizes) return torch.cdiv(torch.log(self:_uniform(sizes)):neg(), self.rate) end
function Exponential:_logProb(x) return torch.log(self.rate) - torch.cmul(self.rate, x) end
function Exponential:_cdf(x) return -torch.expm1(-torch.cmul(self.rate, x)) end
function Exponential:_icdf(p) return torch.cdiv(-torch.log1p(-p), self.rate) end
function Exponential:entropy() return 1 - torch.log(self.rate) end
function Exponential:mean() return torch.cinv(self.rate) end
function Exponential:mode() return torch.mul(self.rate, 0) end
function Exponential:variance() return torch.pow(self.rate, -2) end
function Exponential:support() return constraints.nonnegative end

return Exponential
