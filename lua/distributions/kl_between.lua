--- Divergences between distributions of different classes: the negative entropy of p, less the mean under p of the logarithm of q.
-- @module distributions.kl_between
local torch = require 'torch'
local shapes = require 'distributions.shapes'

local log, exp, square, cdiv, cmul = torch.log, torch.exp, torch.square, torch.cdiv, torch.cmul
local lgamma, digamma = torch.lgamma, torch.digamma

-- The mean of log q from means under p: of x, of the squared distance from q.loc, of log x, log(1 - x), and exp(-x / scale).
local logOf = {
  Exponential = function(q, m) return log(q.rate) - cmul(q.rate, m.mean()) end,
  Gamma = function(q, m)
    return cmul(q.concentration, log(q.rate)) - lgamma(q.concentration) + cmul(q.concentration - 1, m.log()) - cmul(q.rate, m.mean())
  end,
  Normal = function(q, m)
    return -log(q.scale) - 0.5 * math.log(2 * math.pi) - cdiv(m.variance() + square(m.mean() - q.loc), square(q.scale)) * 0.5
  end,
  Gumbel = function(q, m)
    return -log(q.scale) - cdiv(m.mean() - q.loc, q.scale) - cmul(exp(cdiv(q.loc, q.scale)), m.exponential(q.scale))
  end,
  Beta = function(q, m)
    local a, b = q.concentration1, q.concentration0
    return cmul(a - 1, m.log()) + cmul(b - 1, m.logRest()) - torch.betaln(a, b)
  end,
  Laplace = function(q, m) return -log(q.scale * 2) - cdiv(m.distance(q.loc), q.scale) end,
  Uniform = function(q) return -log(q.high - q.low) end,
  ContinuousBernoulli = function(q, m) return cmul(m.mean(), q.logits) - torch.softplus(q.logits) + q:_logFactor() end,
  Pareto = function(q, m) return log(q.alpha) + cmul(q.alpha, log(q.scale)) - cmul(q.alpha + 1, m.log()) end,
  Poisson = function(q, m) return cmul(m.mean(), log(q.rate)) - q.rate end,      -- of counts up to 1
}

-- The mean of x log x - x between the bounds, for means of logarithms.
local function meanLog(low, high)
  return cdiv(torch.xlogy(high, high) - torch.xlogy(low, low), high - low) - 1
end

-- Means under p beyond mean and variance.
local means = {
  Uniform = function(p)
    return {
      log = function() return meanLog(p.low, p.high) end,
      logRest = function() return meanLog(1 - p.high, 1 - p.low) end,
      exponential = function(scale) return cdiv(cmul(scale, exp(-cdiv(p.low, scale)) - exp(-cdiv(p.high, scale))), p.high - p.low) end,
    }
  end,
  Exponential = function(p)
    return {
      log = function() return -log(p.rate) + digamma(torch.ones(1)):item() end,
      exponential = function(scale) return cdiv(p.rate, p.rate + torch.cinv(scale)) end,
    }
  end,
  Gamma = function(p)
    return {
      log = function() return digamma(p.concentration) - log(p.rate) end,
      exponential = function(scale) return exp(-cmul(p.concentration, torch.log1p(torch.cinv(cmul(p.rate, scale))))) end,
    }
  end,
  Beta = function(p)
    local total = function() return digamma(p.concentration1 + p.concentration0) end
    return {
      log = function() return digamma(p.concentration1) - total() end,
      logRest = function() return digamma(p.concentration0) - total() end,
    }
  end,
  Pareto = function(p) return { log = function() return log(p.scale) + torch.cinv(p.alpha) end } end,
  Normal = function(p)
    return {
      exponential = function(scale) return exp(square(cdiv(p.scale, scale)) * 0.5 - cdiv(p.loc, scale)) end,
      distance = function(loc)
        local off = cdiv(p.loc - loc, p.scale)
        return cmul(p.scale, exp(square(off) * -0.5) * math.sqrt(2 / math.pi) + cmul(off, torch.erf(off * math.sqrt(0.5))))
      end,
    }
  end,
  Laplace = function() return {} end,
  Gumbel = function() return {} end,
  ContinuousBernoulli = function() return {} end,
  Bernoulli = function() return {} end,
}

-- Pairs whose support of p is always in that of q; for the others, the condition.
local pairsOf = {
  Normal = 'Laplace Gumbel', Laplace = 'Normal', Gumbel = 'Normal',
  Exponential = 'Gamma Normal Gumbel', Gamma = 'Exponential Normal Gumbel',
  Beta = 'Exponential Gamma Normal Uniform ContinuousBernoulli', Pareto = 'Exponential Gamma Normal', Bernoulli = 'Poisson',
  Uniform = 'Normal Gumbel Exponential Gamma Beta ContinuousBernoulli Pareto', ContinuousBernoulli = 'Exponential Normal Uniform',
}

-- Pairs whose p always has values that q lacks: the divergence is infinite.
local infinite = {
  Beta = 'Pareto', ContinuousBernoulli = 'Pareto', Exponential = 'Beta ContinuousBernoulli Pareto Uniform',
  Gamma = 'Beta ContinuousBernoulli Pareto Uniform', Gumbel = 'Beta ContinuousBernoulli Exponential Gamma Pareto Uniform',
  Laplace = 'Beta ContinuousBernoulli Exponential Gamma Pareto Uniform',
  Normal = 'Beta ContinuousBernoulli Exponential Gamma Pareto Uniform', Pareto = 'Beta ContinuousBernoulli Uniform',
  Poisson = 'Bernoulli Binomial',
}

local function always(p, q)
  return p:_empty(shapes.ofTensor(shapes.broadcast(p.batchShape, q.batchShape))):fill(math.huge)
end

-- Where p has values that q lacks.
local outside = {
  ['Uniform Exponential'] = function(p) return torch.lt(p.low, 0) end,
  ['Uniform Gamma'] = function(p) return torch.lt(p.low, 0) end,
  ['Uniform Beta'] = function(p) return torch.gt(torch.lt(p.low, 0) + torch.gt(p.high, 1), 0) end,
  ['Uniform ContinuousBernoulli'] = function(p) return torch.gt(torch.lt(p.low, 0) + torch.gt(p.high, 1), 0) end,
  ['Uniform Pareto'] = function(p, q) return torch.lt(p.low, q.scale) end,
  ['ContinuousBernoulli Uniform'] = function(_, q) return torch.gt(torch.gt(q.low, 0) + torch.lt(q.high, 1), 0) end,
  ['Beta Uniform'] = function(_, q) return torch.gt(torch.gt(q.low, 0) + torch.lt(q.high, 1), 0) end,
}

--- Registers the divergences.
-- @tparam function register see distributions.divergence
return function(register)
  for first, names in pairs(pairsOf) do
    for second in names:gmatch '%a+' do
      local isOutside = outside[first .. ' ' .. second]
      register('distributions.' .. first, 'distributions.' .. second, function(p, q)
        local m = means[first](p)
        function m.mean() return p:mean() end
        function m.variance() return p:variance() end
        local value = -p:entropy() - logOf[second](q, m)
        return isOutside and torch.where(isOutside(p, q), math.huge, value) or value
      end)
    end
  end
  for first, names in pairs(infinite) do
    for second in names:gmatch '%a+' do register('distributions.' .. first, 'distributions.' .. second, always) end
  end
end
