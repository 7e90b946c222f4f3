--- Scans in differentiable ops, which rules share.
-- @module autograd.scan
local torch = require 'torch'

local scan = {}

--- The product of the elements before each along a dimension, 1 for the first. Nothing is divided, so that it is right next to zeros.
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
