--- 1 / (1 + exp(-x)), elementwise, any shape.
-- @classmod nn.Sigmoid
local torch = require 'torch'

return (require 'nn.support.elementwise'('nn.Sigmoid', function(x) return torch.sigmoid(x) end, nil,
  function(g, y) return torch.sigmoid_grad(g, y) end))
