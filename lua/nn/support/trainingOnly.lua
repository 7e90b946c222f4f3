--- Modules that go back while training alone, as in Torch7.
-- @module nn.support.trainingOnly

--- @tparam table class declared with a formula
-- @tparam function goesBack (self) whether there is a gradient now
-- @treturn table the class
return function(class, goesBack)
  local derived = class.updateGradInput

  function class:updateGradInput(input, gradOutput)
    if not goesBack(self) then error('backprop only defined while training', 0) end
    return derived(self, input, gradOutput)
  end

  class.derived.updateGradInput = class.updateGradInput
  return class
end
