--- x / (1 + |x|), elementwise, any shape.
-- @classmod nn.SoftSign
local torch = require 'torch'

return (require 'nn.elementwise'('nn.SoftSign', function(x) return torch.cdiv(x, torch.add(torch.abs(x), 1)) end))
