--- log(1 / (1 + e^-x)), elementwise, any shape, without overflow.
-- @classmod nn.LogSigmoid
local torch = require 'torch'

local LogSigmoid, parent = require 'nn'.declare {
  name = 'nn.LogSigmoid',
  formula = 'neg(softplus(neg(input)))',
  samples = { { 'LogSigmoid()', { 4, 3 }, rows = true } },
}

function LogSigmoid:__init()
  parent.__init(self)
  self.buffer = torch.Tensor()
end

return LogSigmoid
