--- Gumbel distribution: density exp(-z - exp(-z)) / scale with z = (x - loc) / scale.
-- @classmod distributions.Gumbel
local torch = require 'torch'
local constraints = require 'distributions.constraints'
require 'distributions.Distribution'

local euler = 0.57721566490153286      -- Euler's constant

local Gumbel = torch.class('distributions.Gumbel', 'distributions.Distribution')
Gumbel.hasRsample = true

--- @tparam number|torch.Tensor loc mode
-- @tparam number|torch.Tensor scale above 0
-- @tparam[opt] table options `validateArgs`
function Gumbel:__init(loc, scale, options)
  self:_declare({ { 'loc', constraints.real }, { 'scale', constraints.positive } }, { loc, scale }, options)
end

function Gumbel:_draw(sizes) return self:_icdf(self:_uniform(sizes)) end

function Gumbel:_logProb(x)
  local z = torch.cdiv(x - self.loc, self.scale)
  return -(z + torch.exp(-z)) - torch.log(self.scale)
end

function Gumbel:_cdf(x) return torch.exp(-torch.exp(torch.cdiv(self.loc - x, self.scale))) end
function Gumbel:_icdf(p) return self.loc - torch.cmul(self.scale, torch.log(-torch.log(p))) end
function Gumbel:entropy() return torch.log(self.scale) + 1 + euler end
function Gumbel:mean() return self.loc + self.scale * euler end
function Gumbel:mode() return self.loc end
function Gumbel:variance() return torch.square(self.scale) * (math.pi ^ 2 / 6) end
function Gumbel:support() return constraints.real end

return Gumbel
