--- x / (1 + |x|), elementwise, any shape.
-- @classmod nn.SoftSign
local torch = require 'torch'

local SoftSign = require 'nn.support.elementwise'('nn.SoftSign', function(x) return torch.cdiv(x, torch.add(torch.abs(x), 1)) end)

-- By the input: what comes next may write over the output.
SoftSign.saved = { of = SoftSign.compute, gradient = function(_, input, gradOutput)
  if not torch.isTensor(input) or not input:isSameSizeAs(gradOutput) then return nil end
  local below = torch.add(torch.abs(input), 1)
  return torch.cdiv(gradOutput, torch.cmul(below, below))
end }

return SoftSign
