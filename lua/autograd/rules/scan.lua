-- Derivatives of scans.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- Sums from each element to the last.
local function sumToLast(g, dim) return torch.add(torch.csub(torch.sum(g, dim), torch.cumsum(g, dim)), g) end

rules.cumsum = { saving('dim', sumToLast) }

-- The product without one of its factors is the product over that factor. Where a factor is 0 that says nothing: such slices are refused.
rules.cumprod = { saving('result, x, dim', function(g, y, x, dim)
  local flat = torch.reshape(torch.abs(x:detach()), x:nElement())
  if torch.noGrad(torch.min, flat) == 0 then error('cumprod: backward: x: an element is 0, which this derivative divides by', 0) end
  return torch.cdiv(sumToLast(torch.cmul(g, y), dim), x)
end) }

-- The gradient goes to the position that the extremum came from. Of the results the position is kept: programs may write to the value.
local toPositions = saving('result[2], size(x), dim', function(g, positions, size, dim)
  return torch.gather_grad(g[1], size, dim, positions)
end)
rules.cummax, rules.cummin = { toPositions }, { toPositions }

-- exp(x[j] - y[i]) is never above 1, which exp(x) and exp(-y) alone are.
rules.logcumsumexp = { 'logcumsumexp_grad(g, x, result, dim)' }

-- A sum over pairs, linear in g; each of its derivatives sums the same pairs the other way round, or is a product with the sum itself.
rules.logcumsumexp_grad = {
  saving('x, y, dim, transposed', function(h, x, y, dim, transposed)
    return torch.logcumsumexp_grad(h, x, y, dim, not transposed)
  end),
  saving('result, g, x, y, dim, transposed', function(h, result, g, x, y, dim, transposed)
    if not transposed then return torch.cmul(h, result) end
    return torch.cmul(g, torch.logcumsumexp_grad(h, x, y, dim, false))
  end),
  saving('result, g, x, y, dim, transposed', function(h, result, g, x, y, dim, transposed)
    if transposed then return torch.neg(torch.cmul(h, result)) end
    return torch.neg(torch.cmul(g, torch.logcumsumexp_grad(h, x, y, dim, true)))
  end),
}
