--- Dropout as functions, in nn.functional.
-- @module nn.functional.dropout
local torch, check = require 'torch', require 'torch.check'

local dropout = {}

--- Sets elements to zero with probability p and scales the others by 1 / (1 - p).
-- @tparam torch.Tensor x
-- @tparam[opt=0.5] number p from 0 to 1; 1 returns zeros
function dropout.dropout(x, p)
  if not check.tensor('nn.functional.dropout', 'x', x):isFloatingPoint() then
    check.raise(('nn.functional.dropout: x: a %s, expected a tensor of floats'):format(x:type()))
  end
  p = check.number('nn.functional.dropout', 'p', p or 0.5, { min = 0, max = 1 })
  if p == 1 then return torch.mul(x, 0) end
  return torch.cmul(x, x.new():resizeAs(x):bernoulli(1 - p):div(1 - p))
end

return dropout
