--- log(1 / (1 + e^-x)), elementwise, any shape, without overflow.
-- @classmod nn.LogSigmoid
local torch = require 'torch'

local LogSigmoid, parent = require 'nn.support.elementwise'('nn.LogSigmoid', function(x) return torch.neg(torch.softplus(torch.neg(x))) end)

function LogSigmoid:__init()
  parent.__init(self)
  self.buffer = torch.Tensor()
end

return LogSigmoid
