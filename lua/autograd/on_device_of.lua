--- Constants on the device of the tensor that uses them.
-- @module autograd.on_device_of
local torch = require 'torch'

--- Returns a tensor of constants on the device of another tensor.
-- @tparam torch.Tensor constants
-- @tparam torch.Tensor x
-- @treturn torch.Tensor the same, or a copy on x's device
return function(constants, x)
  local device = x:device()
  return constants:device() == device and constants or torch.to(constants, device)
end
