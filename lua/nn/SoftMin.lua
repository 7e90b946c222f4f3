--- nn.SoftMax of -x.
-- @classmod nn.SoftMin
local torch = require 'torch'
local nn = require 'nn'

local SoftMin, parent = torch.class('nn.SoftMin', 'nn.Module')

function SoftMin:__init()
  parent.__init(self)
  self.mininput = torch.Tensor()
end

function SoftMin:compute(input)
  return nn.SoftMax.compute(self, torch.neg(input))
end

SoftMin.saved = { of = SoftMin.compute, gradient = function(self, input, gradOutput)
  local gradient = nn.SoftMax.saved.gradient(self, input, gradOutput)
  return gradient and torch.neg(gradient)
end }

return SoftMin
