--- Hyperbolic tangent, elementwise, any shape.
-- @classmod nn.Tanh
local torch = require 'torch'

return (require 'nn.support.elementwise'('nn.Tanh', function(x) return torch.tanh(x) end, nil,
  function(g, y) return torch.tanh_grad(g, y) end))
