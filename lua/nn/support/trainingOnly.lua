--- Modules whose backward is defined only in training, as in Torch7.
-- @module nn.support.trainingOnly
local refuse = require 'torch.check.refuse'

--- @tparam table class declared with a formula
-- @tparam function goesBack (self) returns whether the gradient is defined now
-- @treturn table the class
return function(class, goesBack)
  local derived = class.updateGradInput

  function class:updateGradInput(input, gradOutput)
    if not goesBack(self) then refuse.invalid('backprop only defined while training') end
    return derived(self, input, gradOutput)
  end

  class.derived.updateGradInput = class.updateGradInput
  return class
end
