--- Divergences between distributions in closed form.
-- @module distributions.kl_formulas
local torch = require 'torch'
local check = require 'torch.check'

local weights = require 'distributions.weights'
local matrices = require 'distributions.matrices'
local euler = 0.57721566490153286      -- Euler's constant
local log, square, cdiv, cmul, lgamma, digamma = torch.log, torch.square, torch.cdiv, torch.cmul, torch.lgamma, torch.digamma

-- Replaces values of a divergence by infinity where q lacks values of p.
local function infiniteWhere(mask, x) return torch.where(mask, x:clone():fill(math.huge):detach(), x) end

local function normal(p, q)
  local ratio = square(cdiv(p.scale, q.scale))
  return (ratio + square(cdiv(p.loc - q.loc, q.scale)) - 1 - log(ratio)) * 0.5
end

-- For classes, as numbers or one-hot vectors.
local function categorical(p, q)
  local terms = cmul(p.probs, p.logits - q.logits)
  return weights.sumLast(torch.where(torch.gt(p.probs, 0), torch.where(torch.eq(q.probs, 0), math.huge, terms), 0))
end

local normals = { 'distributions.MultivariateNormal', 'distributions.LowRankMultivariateNormal' }

-- The Cholesky factor of the covariance.
local function factorOf(d)
  if d.scaleTril then return d.scaleTril end
  return torch.cholesky(torch.matmul(d.covFactor, matrices.transposed(d.covFactor)) + matrices.fromDiagonal(d.covDiag))
end

local function multivariateNormal(p, q)
  if p.eventShape[1] ~= q.eventShape[1] then
    check.raise(('kl: q: %d numbers in a value, expected %d'):format(q.eventShape[1], p.eventShape[1]), 'shape')
  end
  local factorP, factorQ = factorOf(p), factorOf(q)
  local inverse = torch.inverse(factorQ)
  local ratio = torch.matmul(inverse, factorP)
  local distance = square(matrices.times(inverse, q.loc - p.loc))
  return matrices.halfLogDet(factorQ) - matrices.halfLogDet(factorP)
    + (weights.sumLast(square(ratio), 2) + weights.sumLast(distance) - p.eventShape[1]) * 0.5
end

--- Registers the divergences.
-- @tparam function register see distributions.divergence
return function(register)
  local function same(name, formula) register('distributions.' .. name, 'distributions.' .. name, formula) end

  same('Normal', normal)

  same('LogNormal', normal)
  same('HalfNormal', function(p, q)
    local ratio = square(cdiv(p.scale, q.scale))
    return (ratio - 1 - log(ratio)) * 0.5
  end)

  same('Exponential', function(p, q)
    local ratio = cdiv(q.rate, p.rate)
    return ratio - log(ratio) - 1
  end)

  same('Uniform', function(p, q)
    local outside = torch.gt(torch.gt(q.low, p.low) + torch.lt(q.high, p.high), 0)
    return infiniteWhere(outside, log(cdiv(q.high - q.low, p.high - p.low)))
  end)

  same('Gamma', function(p, q)
    return cmul(q.concentration, log(cdiv(p.rate, q.rate))) + lgamma(q.concentration) - lgamma(p.concentration)
      + cmul(p.concentration - q.concentration, digamma(p.concentration)) + cmul(q.rate - p.rate, cdiv(p.concentration, p.rate))
  end)

  same('Cauchy', function(p, q)
    local distance = square(p.scale + q.scale) + square(p.loc - q.loc)
    return log(distance) - log(cmul(p.scale, q.scale) * 4)
  end)

  same('Laplace', function(p, q)
    local ratio, off = cdiv(p.scale, q.scale), torch.abs(p.loc - q.loc)
    return -log(ratio) + cdiv(off, q.scale) + cmul(ratio, torch.exp(-cdiv(off, p.scale))) - 1
  end)

  same('Gumbel', function(p, q)
    local ratio, off = cdiv(p.scale, q.scale), cdiv(q.loc - p.loc, q.scale)
    return -log(ratio) + ratio * euler + torch.exp(off + lgamma(ratio + 1)) - off - (1 + euler)
  end)

  same('Pareto', function(p, q)
    local ratio = cdiv(q.alpha, p.alpha)
    local value = cmul(q.alpha, log(p.scale) - log(q.scale)) - log(ratio) + ratio - 1
    return infiniteWhere(torch.lt(p.scale, q.scale), value)
  end)

  same('Beta', function(p, q)
    local a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    return torch.betaln(c, d) - torch.betaln(a, b) + cmul(a - c, digamma(a)) + cmul(b - d, digamma(b)) + cmul(c + d - a - b, digamma(a + b))
  end)

  same('Poisson', function(p, q) return torch.xlogy(p.rate, cdiv(p.rate, q.rate)) - (p.rate - q.rate) end)

  same('Bernoulli', function(p, q)
    local logs = torch.softplus(q.logits) - torch.softplus(p.logits)
    return cmul(p.probs, p.logits - q.logits) + logs
  end)

  same('Geometric', function(p, q)
    return -p:entropy() - cdiv(cmul(1 - p.probs, torch.log1p(-q.probs)), p.probs) - log(q.probs)
  end)

  same('Binomial', function(p, q)
    local value = cmul(p.totalCount, cmul(p.probs, p.logits - q.logits) + torch.softplus(q.logits) - torch.softplus(p.logits))
    return infiniteWhere(torch.gt(p.totalCount, q.totalCount), value)
  end)

  same('OneHotCategorical', categorical)
  same('Categorical', categorical)

  same('ContinuousBernoulli', function(p, q)
    return cmul(p:mean(), p.logits - q.logits) + p:_logFactor() - torch.softplus(p.logits) - q:_logFactor() + torch.softplus(q.logits)
  end)

  same('Dirichlet', function(p, q)
    local a, total = p.concentration, weights.last(torch.sum(p.concentration, p.concentration:dim()))
    local off = a - q.concentration
    return q:_logBeta() - p:_logBeta() + weights.sumLast(cmul(off, digamma(a))) - cmul(weights.sumLast(off), digamma(total))
  end)

  for _, first in ipairs(normals) do
    for _, second in ipairs(normals) do register(first, second, multivariateNormal) end
  end

  same('Independent', function(p, q)
    local kl = require('distributions.divergence').kl
    if p.dims ~= q.dims then
      check.raise(('kl: q: %d dimensions of an event, expected %d'):format(q.dims, p.dims))
    end
    return weights.sumLast(kl(p.base, q.base), p.dims)
  end)

  require 'distributions.kl_between'(register)
  require 'distributions.kl_families'(register)
end
