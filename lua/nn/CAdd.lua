--- Adds a learnt tensor: `nn.CAdd(size1, size2, ...)` or `nn.CAdd(LongStorage)`.
-- Shapes: x of that size; of as many dimensions, where those of size 1 broadcast; or (N, as many elements).
-- @classmod nn.CAdd
local torch = require 'torch'

return require 'nn.support.componentwise'('nn.CAdd', 'bias', function(input, parameter) return torch.add(input, parameter) end)
