--- Gradients with which a backward pass is recorded to be differentiated by them.
-- @module autograd.any_gradient
local torch = require 'torch'

--- Returns a gradient for y without zeros: a rule is linear in the gradient, but some rules treat zeros apart.
-- @tparam torch.Tensor y
-- @treturn torch.Tensor of y's sizes and type, not tracked
return function(y)
  local n = y:nElement()
  return torch.reshape(torch.narrow(torch.sin(torch.range(1, math.max(1, n))), 1, 1, n), y:size()):type(y:type())
end
