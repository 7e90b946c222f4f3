--- Dot products: {a, b} -> <a, b>. Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.DotProduct
local torch = require 'torch'
require 'nn'

local DotProduct, parent = torch.class('nn.DotProduct', 'nn.Module')
DotProduct.takes = 'table'

function DotProduct:__init()
  parent.__init(self)
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

function DotProduct:compute(input)
  local a, b = input[1], input[2]
  local dims = a:dim()
  assert(dims == 1 or dims == 2, 'nn.DotProduct: input: vectors or matrices were expected')
  local product = torch.sum(torch.cmul(a, b), dims)
  return dims == 2 and torch.view(product, a:size(1)) or product
end

return DotProduct
