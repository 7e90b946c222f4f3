--- Modules whose backward, in place, restores the input.
-- @module nn.support.inplace_inverse

--- @tparam table class declared with a formula
-- @tparam function restore (self, input) takes out of the input what the forward did
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
