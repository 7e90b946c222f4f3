--- |x|, elementwise, any shape. The gradient at 0 is 1.
-- @classmod nn.Abs
local torch = require 'torch'

return (require 'nn.support.elementwise'('nn.Abs', function(x) return torch.where(torch.lt(x, 0), torch.neg(x), x) end, nil,
  function(g, x) return torch.where(torch.lt(x, 0), torch.neg(g), g) end, 'input'))
