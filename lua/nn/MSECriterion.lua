--- Mean (or, with sizeAverage false, sum) of the squares of the differences between input and target, tensors of equal element counts.
-- @classmod nn.MSECriterion
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local sized = require 'nn.support.sized'
local sizesOf = require('torch.check.message').sizes

local MSECriterion, parent = torch.class('nn.MSECriterion', 'nn.Criterion')

--- @tparam[opt=true] boolean sizeAverage
function MSECriterion:__init(sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage == nil or sizeAverage
end

function MSECriterion:compute(input, target)
  if input:nElement() ~= check.tensor('nn.MSECriterion', 'target', target):nElement() then
    error(('nn.MSECriterion: target: %s came, %s was expected: input and target have different number of elements'):format(
      sizesOf(target), sizesOf(input)), 0)
  end
  local difference = torch.csub(input, sized(target, input))
  local loss = torch.sum(torch.cmul(difference, difference))
  return self.sizeAverage and loss / input:nElement() or loss
end

return MSECriterion
