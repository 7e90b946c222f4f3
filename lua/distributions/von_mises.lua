--- Integrals of exp(kappa cos t), from which all functions of the von Mises distribution follow; by Gauss and Legendre's quadrature.
-- @module distributions.von_mises
local torch = require 'torch'
local Function = require 'autograd.function'
local elements = require 'distributions.elements'

local cos, exp, sqrt, min = math.cos, math.exp, math.sqrt, math.min
local pi = math.pi

local vonMises = {}

-- Nodes and weights between 0 and 1 of n points, by Newton's method.
local function legendre(n)
  local nodes, weights = {}, {}
  for i = 1, n do
    local x = cos(pi * (i - 0.25) / (n + 0.5))
    local slope
    for _ = 1, 20 do
      local p, before = 1, 0
      for k = 1, n do p, before = ((2 * k - 1) * x * p - (k - 1) * before) / k, p end
      slope = n * (x * p - before) / (x * x - 1)
      x = x - p / slope
    end
    nodes[i], weights[i] = (1 + x) / 2, 1 / ((1 - x * x) * slope * slope)
  end
  return nodes, weights
end
local nodes, weights = legendre(80)

-- The integrals from x to pi of exp(kappa (cos t - cos x)) and of cos t times that. The integrand beyond the bound is below 1e-17 of the
-- first value.
local function tail(kappa, x)
  local high = min(pi, x + 20 / sqrt(kappa))
  local plain, weighted, top, width = 0, 0, cos(x), high - x
  for i = 1, 80 do
    local c = cos(x + width * nodes[i])
    local value = weights[i] * width * exp(kappa * (c - top))
    plain, weighted = plain + value, weighted + value * c
  end
  return plain, weighted, 0
end

-- log I0(kappa), and I1 / I0.
local function bessel(kappa)
  local plain, weighted = tail(kappa, 0)
  return kappa + math.log(plain / pi), weighted / plain, 0
end

--- The ratio A of the Bessel functions I1 and I0: the mean cosine.
-- @function ratio
-- @tparam torch.Tensor kappa above 0
-- @treturn torch.Tensor
vonMises.ratio = Function {
  name = 'besselRatio',
  forward = function(ctx, kappa)
    local _, ratio = elements.map(bessel, 2, kappa)
    ratio = ratio:typeAs(kappa)
    ctx:save(kappa, ratio)
    return ratio
  end,
  backward = function(ctx, g)
    local kappa, ratio = ctx:saved()
    return torch.cmul(g, 1 - torch.cdiv(ratio, kappa) - torch.square(ratio))
  end,
}

--- log I0, the logarithm of the modified Bessel function.
-- @function logBessel
-- @tparam torch.Tensor kappa above 0
-- @treturn torch.Tensor
vonMises.logBessel = Function {
  name = 'logBessel',
  forward = function(ctx, kappa)
    ctx:save(kappa)
    return elements.map(bessel, 1, kappa):typeAs(kappa)
  end,
  backward = function(ctx, g) return torch.cmul(g, vonMises.ratio((ctx:saved()))) end,
}

-- The integrals for tensors, |z| up to pi: of the density's multiple, and its derivative for kappa.
local function tails(z, kappa)
  local plain, weighted = elements.map(tail, 2, kappa, torch.abs(z))
  return plain, weighted - torch.cmul(plain, vonMises.ratio(kappa:double()))
end

local function density(z, kappa) return torch.exp(torch.cmul(kappa, torch.cos(z)) - vonMises.logBessel(kappa)) / (2 * pi) end

local cdf = Function {
  name = 'vonMisesCdf',
  forward = function(ctx, z, kappa)
    ctx:save(z, kappa)
    local beyond = torch.cmul((tails(z, kappa)):typeAs(z), density(z, kappa))
    return torch.where(torch.lt(z, 0), beyond, 1 - beyond)
  end,
  backward = function(ctx, g)
    local z, kappa = ctx:saved()
    local _, slope = tails(z, kappa)
    local byZ = torch.cmul(g, density(z, kappa))
    return byZ, -torch.cmul(torch.cmul(byZ, torch.sign(z)), slope:typeAs(z))
  end,
}

--- The distribution function for location 0.
-- @tparam torch.Tensor z angles from -pi to pi
-- @tparam torch.Tensor kappa concentrations above 0
-- @treturn torch.Tensor
function vonMises.cdf(z, kappa) return cdf(elements.common(z, kappa)) end

-- Angles by Best & Fisher (1979), "Efficient simulation of the von Mises distribution".
local function draw(kappa)
  local tau = torch.sqrt(torch.square(kappa) * 4 + 1) + 1
  local rho = torch.cdiv(tau - torch.sqrt(tau * 2), kappa * 2)
  local spread = torch.where(torch.lt(kappa, 1e-5), torch.cinv(kappa), torch.cdiv(torch.square(rho) + 1, rho * 2))
  local result, open = torch.mul(kappa, 0), torch.gt(kappa, 0)
  local function uniform() return torch.DoubleTensor(kappa:size()):uniform() end
  for _ = 1, 1000 do
    if not torch.any(open) then break end
    local z = torch.cos(uniform() * pi)
    local f = torch.cdiv(torch.cmul(spread, z) + 1, spread + z)
    local c, u = torch.cmul(kappa, spread - f), uniform()
    local accepted = torch.cmul(open, torch.ge(torch.log(torch.cdiv(c, u)) + 1 - c, 0))
    local side = torch.where(torch.lt(uniform(), 0.5), -1, torch.mul(c, 0) + 1)
    result = torch.where(accepted, torch.cmul(side, torch.acos(torch.clamp(f, -1, 1))), result)
    open = torch.cmul(open, torch.eq(accepted, 0))
  end
  return result
end

--- Draws angles for location 0, differentiable by implicit reparameterisation.
-- @function sample
-- @tparam torch.Tensor kappa concentrations above 0
-- @treturn torch.Tensor angles from -pi to pi
vonMises.sample = Function {
  name = 'vonMisesSample',
  forward = function(ctx, kappa)
    local z = draw(kappa:double():contiguous()):typeAs(kappa)
    ctx:save(z, kappa)
    return z
  end,
  backward = function(ctx, g)
    local z, kappa = ctx:saved()
    local _, slope = tails(z, kappa)
    return torch.cmul(torch.cmul(g, torch.sign(z)), slope:typeAs(z))
  end,
}

return vonMises
