--- The storages of tensors in nested tables.
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

--- Empties tensors in place, which frees their memory unless other tensors share it.
-- @param value a tensor, or tables of them
function storages.empty(value)
  for _, tensor in ipairs(nested.flatten(value, {})) do torch.noGrad(tensor.set, tensor) end
end

--- Whether two sets have a common member.
function storages.meet(set, other)
  for key in pairs(set) do
    if other[key] then return true end
  end
  return false
end

return storages
