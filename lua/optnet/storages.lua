--- The memory that tensors in nested tables lie in.
-- @module optnet.storages
local torch, nested = require 'torch', require 'nn.nested'

local storages = {}

--- Adds the storages of tensors to a set.
-- @param value a tensor, or tables of them to any depth
-- @tparam[opt] table set storage's pointer -> its bytes
-- @treturn table the set
function storages.of(value, set)
  set = set or {}
  for _, tensor in ipairs(nested.flatten(value, {})) do
    local storage = tensor:storage()
    if storage then set[torch.pointer(storage)] = storage:size() * tensor:elementSize() end
  end
  return set
end

--- Makes tensors empty, each in its place, so that their memory is free where nothing else shows it.
-- @param value a tensor, or tables of them
function storages.empty(value)
  for _, tensor in ipairs(nested.flatten(value, {})) do torch.noGrad(tensor.set, tensor) end
end

--- Whether a set has one of another's members.
function storages.meet(set, other)
  for key in pairs(set) do
    if other[key] then return true end
  end
  return false
end

return storages
