--- Von Mises distribution of angles: density exp(concentration cos(x - loc)) / (2 pi I0(concentration)). Samples are between -pi and
-- pi, with implicit gradients; `cdf` counts from loc - pi.
-- @classmod distributions.VonMises
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local vonMises = require 'distributions.von_mises'
require 'distributions.Distribution'

local VonMises = torch.class('distributions.VonMises', 'distributions.Distribution')
VonMises.hasRsample = true

--- @tparam number|torch.Tensor loc mean angle
-- @tparam number|torch.Tensor concentration about the inverse variance, above 0
-- @tparam[opt] table options `validateArgs`
function VonMises:__init(loc, concentration, options)
  self:_declare({ { 'loc', constraints.real }, { 'concentration', constraints.positive } }, { loc, concentration }, options)
end

local function wrapped(x) return x - torch.floor(x / (2 * math.pi) + 0.5) * (2 * math.pi) end

function VonMises:_draw(sizes) return wrapped(vonMises.sample(self.concentration:expand(unpack(sizes))) + self.loc) end

function VonMises:_logProb(x)
  return torch.cmul(self.concentration, torch.cos(x - self.loc)) - vonMises.logBessel(self.concentration) - math.log(2 * math.pi)
end

function VonMises:_cdf(x) return vonMises.cdf(torch.clamp(x - self.loc, -math.pi, math.pi), self.concentration) end

function VonMises:entropy()
  return vonMises.logBessel(self.concentration) - torch.cmul(self.concentration, vonMises.ratio(self.concentration)) + math.log(2 * math.pi)
end

function VonMises:mean() return self.loc end
function VonMises:mode() return self.loc end

-- The circular variance: 1 less the mean cosine of x - loc.
function VonMises:variance() return 1 - vonMises.ratio(self.concentration) end
function VonMises:support() return constraints.real end

return VonMises
