--- nn.SoftMax of -x.
-- @classmod nn.SoftMin
local torch, classes = require 'torch', require 'nn.support.classes'

local SoftMin, parent = require 'nn'.declare {
  name = 'nn.SoftMin',
  dims = { 1, 2, 3, 4 }, accepts = classes.accepts,
  values = { 'dim' },
  formula = classes.formula 'softmax(neg(input), dim)',
  samples = { { 'SoftMin()', { 4, 3 }, rows = true } },
}

function SoftMin:__init()
  parent.__init(self)
  self.mininput = torch.Tensor()
end

return SoftMin
