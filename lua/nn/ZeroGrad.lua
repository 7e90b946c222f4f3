--- Gives what it gets; the gradient by the input is 0.
-- @classmod nn.ZeroGrad
local torch = require 'torch'
require 'nn'
local nested = require 'nn.nested'

local ZeroGrad = torch.class('nn.ZeroGrad', 'nn.Module')

function ZeroGrad:compute(input)
  return nested.map(input, function(x) return x:detach() end)
end

return ZeroGrad
