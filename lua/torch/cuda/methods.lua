--- What tensors on CUDA's devices have beside the methods of all tensors, as in cutorch.
-- @module torch.cuda.methods
local methods = {}

--- The number of the device where a tensor is, from 1; 0 where it has no elements.
-- @treturn int
function methods.getDevice(x)
  if x:nElement() == 0 then return 0 end
  return tonumber(x:device():match '%d+$')
end

--- Whether a tensor's memory is the host's, too: never.
-- @treturn boolean
function methods.isManaged() return false end

return methods
