--- Multiplies by a learnt tensor, elementwise: `nn.CMul(size1, size2, ...)` or `nn.CMul(LongStorage)`.
-- Shapes: x of that size; of as many dimensions, where those of size 1 broadcast; or (N, as many elements).
-- @classmod nn.CMul
local torch = require 'torch'

return require 'nn.support.componentwise'('nn.CMul', 'weight', function(input, parameter) return torch.cmul(input, parameter) end)
