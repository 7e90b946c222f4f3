--- The quotient of two tensors, elementwise: {a, b} -> a ./ b. Further entries do not count.
-- @classmod nn.CDivTable
local torch = require 'torch'

local CDivTable = require 'nn.support.fold'('nn.CDivTable', function(a, b) return torch.cdiv(a, b) end, 2)

-- By the input: what comes next may write over the output.
CDivTable.saved = { of = CDivTable.compute, gradient = function(_, input, gradOutput)
  if #input ~= 2 or not input[2]:isSameSizeAs(gradOutput) or not input[1]:isSameSizeAs(gradOutput) then return nil end
  local first = torch.cdiv(gradOutput, input[2])
  return { first, torch.cdiv(torch.cmul(first, input[1]), input[2]):mul(-1) }
end }

return CDivTable
