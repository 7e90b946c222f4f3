--- The difference of two tensors: {a, b} -> a - b. Further entries do not count.
-- @classmod nn.CSubTable
local torch = require 'torch'

return (require 'nn.support.fold'('nn.CSubTable', function(a, b) return torch.csub(a, b) end, 2))
