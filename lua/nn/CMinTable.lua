--- The elementwise minimum of the tensors in a table. Of several equal minima, the first has the gradient.
-- @classmod nn.CMinTable
local torch = require 'torch'

return (require 'nn.support.choice'('nn.CMinTable', torch.lt, 'minIdx'))
