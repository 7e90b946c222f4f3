-- Derivatives of running sums and products.
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
