--- Dot products: {a, b} -> <a, b>. Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.DotProduct
local torch, nn = require 'torch', require 'nn'
local refuse = require 'torch.check.refuse'

local DotProduct, parent = nn.declare {
  name = 'nn.DotProduct', takes = 'table',
  formula = function(_, input)
    local dims = input[1]:dim()
    if dims ~= 1 and dims ~= 2 then refuse.shape('nn.DotProduct: input: expected vectors or matrices') end
    return dims == 1 and 'sum(cmul(input[1], input[2]), 1)' or 'clone(select(sum(cmul(input[1], input[2]), 2), 2, 1))'
  end,
  samples = { { 'DotProduct()', { { 3, 2 }, { 3, 2 } } } },
}

function DotProduct:__init()
  parent.__init(self)
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

return DotProduct
