--- Divergences between distributions in closed form.
-- @module distributions.kl_formulas
local torch = require 'torch'

local log, square, cdiv, cmul, lgamma, digamma = torch.log, torch.square, torch.cdiv, torch.cmul, torch.lgamma, torch.digamma

-- Replaces values of a divergence by infinity where q lacks values of p.
local function infiniteWhere(mask, x) return torch.where(mask, x:clone():fill(math.huge):detach(), x) end

--- Registers the divergences.
-- @tparam function register see distributions.divergence
return function(register)
  local function same(name, formula) register('distributions.' .. name, 'distributions.' .. name, formula) end

  same('Normal', function(p, q)
    local ratio = square(cdiv(p.scale, q.scale))
    return (ratio + square(cdiv(p.loc - q.loc, q.scale)) - 1 - log(ratio)) * 0.5
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
end
