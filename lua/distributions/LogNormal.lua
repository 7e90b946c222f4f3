--- Log-normal distribution: the exponential of a normal variable.
-- @classmod distributions.LogNormal
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local Normal = require 'distributions.Normal'
local LogNormal = torch.class('distributions.LogNormal', 'distributions.Distribution')
LogNormal.hasRsample = true

--- @tparam number|torch.Tensor loc mean of the logarithm
-- @tparam number|torch.Tensor scale standard deviation of the logarithm, above 0
-- @tparam[opt] table options `validateArgs`
function LogNormal:__init(loc, scale, options)
  self:_declare({ { 'loc', constraints.real }, { 'scale', constraints.positive } }, { loc, scale }, options)
end

function LogNormal:_draw(sizes) return torch.exp(Normal._draw(self, sizes)) end

function LogNormal:_logProb(x)
  local logX = torch.log(x)
  return Normal._logProb(self, logX) - logX
end

function LogNormal:_cdf(x) return Normal._cdf(self, torch.log(x)) end
function LogNormal:_icdf(p) return torch.exp(Normal._icdf(self, p)) end
function LogNormal:entropy() return Normal.entropy(self) + self.loc end
function LogNormal:mean() return torch.exp(self.loc + torch.square(self.scale) * 0.5) end
function LogNormal:mode() return torch.exp(self.loc - torch.square(self.scale)) end

function LogNormal:variance()
  local square = torch.square(self.scale)
  return torch.cmul(torch.expm1(square), torch.exp(self.loc * 2 + square))
end

function LogNormal:support() return constraints.positive end

return LogNormal
