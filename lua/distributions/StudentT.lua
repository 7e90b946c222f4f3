--- Student's t distribution: density proportional to (1 + z^2 / df)^(-(df + 1) / 2) with z = (x - loc) / scale.
-- Samples have gradients by implicit reparameterisation.
-- @classmod distributions.StudentT
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local gammaSamples = require 'distributions.gamma_samples'
local noGrad = require('autograd.mode').noGrad
require 'distributions.Distribution'

local StudentT = torch.class('distributions.StudentT', 'distributions.Distribution')
StudentT.hasRsample = true

--- @tparam number|torch.Tensor df degrees of freedom, above 0
-- @tparam[opt=0] number|torch.Tensor loc median; or a table of options
-- @tparam[opt=1] number|torch.Tensor scale above 0
-- @tparam[opt] table options `loc`, `scale`, `validateArgs`
function StudentT:__init(df, loc, scale, options)
  self:_declare({
    { 'df', constraints.positive }, { 'loc', constraints.real, 0 }, { 'scale', constraints.positive, 1 },
  }, { df, loc, scale }, options)
end

function StudentT:_draw(sizes)
  local z = noGrad(function()
    local half = self.df:expand(unpack(sizes)) * 0.5
    return torch.cmul(self:_empty(sizes):normal(), torch.cmul(torch.sqrt(half), torch.exp(gammaSamples.logSample(half) * -0.5)))
  end)
  local p = self:_tail(z)
  if p:isTracked() then
    local density = noGrad(function() return torch.exp(self:_standard(z)) end)
    z = z + torch.cdiv(torch.cmul(p - p:detach(), torch.sign(z)), density)
  end
  return torch.cmul(z, self.scale) + self.loc
end

-- The probability of values beyond |z|, by z^2 / (df + z^2), a beta variable, or by the rest, whichever is smaller. At 0, where the density
-- of that variable is infinite, by the least z.
function StudentT:_tail(z)
  local least = z:type() == 'torch.DoubleTensor' and 1e-150 or 1e-18
  local square = torch.square(torch.where(torch.lt(torch.abs(z), least), z + 2 * least, z))
  local isNear, b, half = torch.lt(square, self.df), torch.mul(self.df, 0) + 0.5, self.df * 0.5
  local inside = torch.where(isNear, square, half)
  local near = torch.betainc(b, half, torch.cdiv(inside, self.df + inside))
  local far = torch.betainc(half, b, torch.cdiv(self.df, torch.where(isNear, self.df, square) + self.df))
  return torch.where(isNear, 1 - near, far) * 0.5
end

-- The logarithm of the density for loc 0 and scale 1.
function StudentT:_standard(z)
  local df = self.df
  return torch.lgamma((df + 1) * 0.5) - torch.lgamma(df * 0.5) - torch.log(df * math.pi) * 0.5
    - torch.cmul(df + 1, torch.log1p(torch.cdiv(torch.square(z), df))) * 0.5
end

function StudentT:_logProb(x) return self:_standard(torch.cdiv(x - self.loc, self.scale)) - torch.log(self.scale) end

function StudentT:_cdf(x)
  local z = torch.cdiv(x - self.loc, self.scale)
  local tail = self:_tail(z)
  return torch.where(torch.lt(z, 0), tail, 1 - tail)
end

-- From the smaller tail, with the part of the beta variable that is smaller.
function StudentT:_icdf(p)
  return self:_quantile(p, noGrad(function()
    local df, half, b = self.df, self.df * 0.5, torch.mul(self.df, 0) + 0.5
    local both = torch.cmin(p, 1 - p) * 2
    local isFar = torch.lt(both, 0.5)
    local y = torch.betaincinv(torch.where(isFar, half, b), torch.where(isFar, b, half), torch.where(isFar, both, 1 - both))
    local odds = torch.cdiv(y, 1 - y)
    local z = torch.sqrt(torch.cmul(df, torch.where(isFar, torch.cinv(odds), odds)))
    return torch.cmul(torch.cmul(z, torch.sign(p - 0.5)), self.scale) + self.loc
  end))
end

function StudentT:entropy()
  local half = (self.df + 1) * 0.5
  local rest = self.df * 0.5
  return torch.log(self.scale) + torch.cmul(half, torch.digamma(half) - torch.digamma(rest)) + torch.log(self.df) * 0.5
    + torch.lgamma(rest) - torch.lgamma(half) + 0.5 * math.log(math.pi)
end

function StudentT:mean() return torch.where(torch.le(self.df, 1), 0 / 0, self.loc) end
function StudentT:mode() return self.loc end

function StudentT:variance()
  local df = torch.clamp(self.df, 2, math.huge)
  local value = torch.cmul(torch.square(self.scale), torch.cdiv(df, df - 2))
  return torch.where(torch.le(self.df, 1), 0 / 0, value)
end

function StudentT:support() return constraints.real end

return StudentT
