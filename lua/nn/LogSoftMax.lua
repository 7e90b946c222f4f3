--- x - log of the sum of exp(x), computed without overflow, over the classes.
-- Shapes, all kept: x (F) over its elements, (N, F) over rows, (C, H, W) over dimension 1, (N, C, H, W) over dimension 2.
-- @classmod nn.LogSoftMax
local torch = require 'torch'
require 'nn'

local LogSoftMax = torch.class('nn.LogSoftMax', 'nn.Module')

function LogSoftMax:compute(input)
  local dim = input:dim()
  if dim < 1 or dim > 4 then error(('nn.LogSoftMax: input: %d dimensions, 1D, 2D, 3D or 4D tensor expected'):format(dim), 0) end
  return torch.logsoftmax(input, (dim == 1 or dim == 3) and 1 or 2)
end
LogSoftMax.letsGo = LogSoftMax.compute

LogSoftMax.saved = { of = LogSoftMax.compute, gradient = function(self, _, gradOutput)
  local y = self.output
  if y:nElement() ~= gradOutput:nElement() then return nil end
  if not gradOutput:isSameSizeAs(y) then gradOutput = gradOutput:contiguous():viewAs(y) end
  return torch.logsoftmax_grad(gradOutput, y, y:dim() % 2 == 1 and 1 or 2)
end }

return LogSoftMax
