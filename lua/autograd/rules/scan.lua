-- Derivatives of scans.
local torch = require 'torch'
local rules = require 'autograd.rules'

-- Sums from each element to the last.
local function sumToLast(g, dim) return torch.add(torch.csub(torch.sum(g, dim), torch.cumsum(g, dim)), g) end

rules.cumsum = { function(g, _, _, dim) return sumToLast(g, dim) end }

-- The product without one of its factors is the product over that factor. Where a factor is 0 that says nothing: such slices are refused.
rules.cumprod = { function(g, y, x, dim)
  local flat = torch.reshape(torch.abs(x:detach()), x:nElement())
  if torch.noGrad(torch.min, flat) == 0 then error('cumprod: backward: x: an element is 0, which this derivative divides by', 0) end
  return torch.cdiv(sumToLast(torch.cmul(g, y), dim), x)
end }

-- The gradient goes to the position that the extremum came from. Of the results the position is kept: programs may write to the value.
local function toPositions(g, rest, xSize, dim)
  return torch.scatterAdd(g[1].new():resize(xSize):zero(), dim, rest[1], g[1])
end
rules.cummax = { function(g, rest, xSize, dim) return toPositions(g, rest, xSize, dim) end }
rules.cummin = { function(g, rest, xSize, dim) return toPositions(g, rest, xSize, dim) end }

-- exp(x[j] - y[i]) is never above 1, which exp(x) and exp(-y) alone are.
rules.logcumsumexp = { 'logcumsumexp_grad(g, x, result, dim)' }

-- A sum over pairs, linear in g; each of its derivatives sums the same pairs the other way round, or is a product with the sum itself.
rules.logcumsumexp_grad = {
  function(h, _, _, x, y, dim, transposed) return torch.logcumsumexp_grad(h, x, y, dim, not transposed) end,
  function(h, result, g, x, y, dim, transposed)
    if not transposed then return torch.cmul(h, result) end
    return torch.cmul(g, torch.logcumsumexp_grad(h, x, y, dim, false))
  end,
  function(h, result, g, x, y, dim, transposed)
    if transposed then return torch.neg(torch.cmul(h, result)) end
    return torch.neg(torch.cmul(g, torch.logcumsumexp_grad(h, x, y, dim, true)))
  end,
}
