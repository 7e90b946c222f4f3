--- Modules whose backward restores the input when they work in place.
-- @module nn.support.inplace_inverse

--- @tparam table class declared with a formula
-- @tparam function restore (self, input) undoes the effect of the forward on the input
-- @treturn table the class
return function(class, restore)
  local derived = class.updateGradInput

  function class:updateGradInput(input, gradOutput)
    local gradInput = derived(self, input, gradOutput)
    if self.inplace and gradInput then restore(self, input) end
    return gradInput
  end

  class.derived.updateGradInput = class.updateGradInput
  return class
end
