--- Sequences of modules that are one computation: with 16-bit tensors they compute in float32 as a whole, and round once.
-- @module nn.support.composite
local run, wide = require 'nn.support.run', require 'nn.support.wide'

--- Adds Torch7's methods for this to a class of containers. In such passes, children have no outputs.
-- @tparam table class
-- @tparam table parent
return function(class, parent)
  local function isNarrow(self, input) return self.compute == class.compute and wide.typeOf(input) ~= nil end

  function class:updateOutput(input)
    if not isNarrow(self, input) then return parent.updateOutput(self, input) end
    return run.forward(self, input)
  end

  function class:updateGradInput(input, gradOutput)
    if not isNarrow(self, input) then return parent.updateGradInput(self, input, gradOutput) end
    return run.backward(self, input, gradOutput, true)
  end

  function class:accGradParameters(input, gradOutput, scale)
    if not isNarrow(self, input) then return parent.accGradParameters(self, input, gradOutput, scale) end
    run.backward(self, input, gradOutput, false, scale or 1)
  end

  function class:backward(input, gradOutput, scale)
    if not isNarrow(self, input) then return parent.backward(self, input, gradOutput, scale) end
    return run.backward(self, input, gradOutput, true, scale or 1)
  end
end
