--- e^x, elementwise, any shape.
-- @classmod nn.Exp
local torch = require 'torch'

return (require 'nn.support.elementwise'('nn.Exp', function(x) return torch.exp(x) end, nil,
  function(g, y) return torch.cmul(g, y) end))
