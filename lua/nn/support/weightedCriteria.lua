--- Declarations of criteria that are weighted sums of others: nn.MultiCriterion and nn.ParallelCriterion.
-- @module nn.support.weightedCriteria
local nested, explain = require 'nn.nested', require 'nn.support.explain'

--- @tparam table spec argument of nn.declare, without the computation
-- @tparam function partOf of (self, value, target, i): the arguments of criterion i for an input and its target
-- @tparam function gradientOf of (gradInput, i): the part of gradInput for criterion i
-- @treturn table the declaration
return function(spec, partOf, gradientOf)
  local function call(self, i, method, input, target)
    return explain.part(self, i, self.criterions[i], method, partOf(self, input, target, i))
  end

  spec.parent = 'nn.Criterion'

  function spec.compute(self, input, target)
    local loss = 0
    for i = 1, #self.criterions do
      local term = call(self, i, 'onTape', input, target) * self.weights[i]
      loss = i == 1 and term or loss + term
    end
    return loss
  end

  function spec.forward(self, input, target)
    self.output = 0
    for i = 1, #self.criterions do
      self.output = self.output + self.weights[i] * call(self, i, 'updateOutput', input, target)
    end
    return self.output
  end

  function spec.backward(self, input, target)
    self.gradInput = nested.recursiveResizeAs(self.gradInput, input)
    nested.recursiveFill(self.gradInput, 0)
    for i = 1, #self.criterions do
      nested.recursiveAdd(gradientOf(self.gradInput, i), self.weights[i], call(self, i, 'updateGradInput', input, target))
    end
    return self.gradInput
  end

  return spec
end
