--- Natural logarithm, elementwise, any shape.
-- @classmod nn.Log
local torch = require 'torch'

return (require 'nn.support.elementwise'('nn.Log', function(x) return torch.log(x) end, nil,
  function(g, x) return torch.cdiv(g, x) end, 'input'))
