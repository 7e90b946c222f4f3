--- Additional methods of tensors on CUDA's devices, as in cutorch.
-- @module torch.cuda.methods
local methods = {}

--- Returns the number of a tensor's device, from 1; 0 if it has no elements.
-- @treturn int
function methods.getDevice(x)
  if x:nElement() == 0 then return 0 end
  return tonumber(x:device():match '%d+$')
end

--- Returns whether a tensor's memory is also the host's: always false.
-- @treturn boolean
function methods.isManaged() return false end

return methods
