--- x^2, elementwise, any shape.
-- @classmod nn.Square
local torch = require 'torch'

return (require 'nn.support.elementwise'('nn.Square', function(x) return torch.cmul(x, x) end, nil,
  function(g, x) return torch.cmul(g, x):mul(2) end, 'input'))
