--- Uniform distribution: density 1 / (high - low) from low to high.
-- @classmod distributions.Uniform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local Uniform = torch.class('distributions.Uniform', 'distributions.Distribution')
Uniform.hasRsample = true

--- @tparam number|torch.Tensor low
-- @tparam number|torch.Tensor high above low
-- @tparam[opt] table options `validateArgs`
function Uniform:__init(low, high, options)
  self:_declare({ { 'low', constraints.real }, { 'high', constraints.real } }, { low, high }, options)
  self:_verify('high', constraints.greaterThan(self.low))
end

function Uniform:_width() return self.high - self.low end
function Uniform:_draw(sizes) return torch.cmul(self:_empty(sizes):uniform(), self:_width()) + self.low end
function Uniform:_logProb(x) return torch.mul(x, 0) - torch.log(self:_width()) end
function Uniform:_cdf(x) return torch.clamp(torch.cdiv(x - self.low, self:_width()), 0, 1) end
function Uniform:_icdf(p) return torch.cmul(p, self:_width()) + self.low end
function Uniform:entropy() return torch.log(self:_width()) end
function Uniform:mean() return (self.low + self.high) * 0.5 end
function Uniform:mode() return torch.mul(self.low, 0 / 0) end
function Uniform:variance() return torch.square(self:_width()) / 12 end
function Uniform:support() return constraints.interval(self.low, self.high) end

return Uniform
