--- The elementwise maximum of the tensors in a table. Of several equal maxima, the first has the gradient.
-- @classmod nn.CMaxTable
local torch = require 'torch'

return (require 'nn.support.choice'('nn.CMaxTable', torch.gt, 'maxIdx'))
