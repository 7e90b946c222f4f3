--- Scans from differentiable ops, for use in rules.
-- @module autograd.scan
local torch = require 'torch'

local scan = {}

--- Returns, for each element, the product of the elements before it along a dimension, 1 for the first. It uses no division, so that it is
-- correct with zeros.
-- @tparam torch.Tensor x at least one element along the dimension
-- @int dim
-- @treturn torch.Tensor of x's sizes
function scan.productBefore(x, dim)
  local n = x:size(dim)
  local one = torch.narrow(x, dim, 1, 1):detach():clone():fill(1)
  if n == 1 then return one end
  return torch.cat(one, torch.cumprod(torch.narrow(x, dim, 1, n - 1), dim), dim)
end

return scan
