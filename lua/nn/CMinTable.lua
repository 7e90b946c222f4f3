--- The elementwise minimum of the tensors in a table. Where several are equally small the first has the gradient.
-- @classmod nn.CMinTable
local torch = require 'torch'

return (require 'nn.support.choice'('nn.CMinTable', torch.lt, 'minIdx'))
