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

return SoftMin
