--- Laplace distribution: density exp(-|x - loc| / scale) / (2 scale).
-- @classmod distributions.Laplace
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local Laplace = torch.class('distributions.Laplace', 'distributions.Distribution')
Laplace.hasRsample = true

--- @tparam number|torch.Tensor loc mean
-- @tparam number|torch.Tensor scale mean of |x - loc|, above 0
-- @tparam[opt] table options `validateArgs`
function Laplace:__init(loc, scale, options)
  self:_declare({ { 'loc', constraints.real }, { 'scale', constraints.positive } }, { loc, scale }, options)
end

function Laplace:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end
function Laplace:_logProb(x) return -torch.cdiv(torch.abs(x - self.loc), self.scale) - torch.log(self.scale * 2) end

function Laplace:_cdf(x)
  local z = torch.cdiv(x - self.loc, self.scale)
  return 0.5 - torch.cmul(torch.sign(z), torch.expm1(-torch.abs(z))) * 0.5
end

function Laplace:_icdf(p)
  local off = p - 0.5
  return self.loc - torch.cmul(self.scale, torch.cmul(torch.sign(off), torch.log1p(torch.abs(off) * -2)))
end

function Laplace:entropy() return torch.log(self.scale * 2) + 1 end
function Laplace:mean() return self.loc end
function Laplace:mode() return self.loc end
function Laplace:variance() return torch.square(self.scale) * 2 end
function Laplace:support() return constraints.real end

return Laplace
