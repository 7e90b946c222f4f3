--- Constants on the device of the tensor that they are used with.
-- @module autograd.on_device_of
local torch = require 'torch'

--- A tensor of constants on the device of another one.
-- @tparam torch.Tensor constants
-- @tparam torch.Tensor x
-- @treturn torch.Tensor the same, or a copy on x's device
return function(constants, x)
  local device = x:device()
  return constants:device() == device and constants or torch.to(constants, device)
end
