--- Makes classes of criteria that compare each element of the input with that of the target: the mean of a function of both, or, with
-- sizeAverage false, its sum.
-- @module nn.support.pairwise
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local sizesOf = require('torch.check.message').sizes

--- @tparam string name of the class
-- @tparam function fn(input, target, criterion): the terms to add up, by differentiable ops; the target has the input's shape
-- @tparam[opt] string message what is said where element counts differ
-- @treturn table the class, whose constructor takes sizeAverage
-- @treturn table its parent
return function(name, fn, message)
  local class, parent = torch.class(name, 'nn.Criterion')

  function class:__init(sizeAverage)
    parent.__init(self)
    self.sizeAverage = sizeAverage == nil or sizeAverage
  end

  function class:compute(input, target)
    if input:nElement() ~= check.tensor(name, 'target', target):nElement() then
      error(('%s: target: %s came, %s was expected: %s'):format(name, sizesOf(target), sizesOf(input),
        message or 'input and target have different number of elements'), 0)
    end
    local loss = torch.sum(fn(input, torch.viewAs(target:contiguous(), input), self))
    return self.sizeAverage and loss / input:nElement() or loss
  end

  return class, parent
end
