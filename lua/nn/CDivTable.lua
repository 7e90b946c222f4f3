--- The quotient of two tensors, elementwise: {a, b} -> a ./ b. Further entries do not count.
-- @classmod nn.CDivTable
local torch = require 'torch'

return (require 'nn.fold'('nn.CDivTable', function(a, b) return torch.cdiv(a, b) end, 2))
