--- Tensors that a conversion replaced (`net:float()`), and their successors, for optimisers that refer to the old ones.
-- @module torch.tensor.replaced
local replaced = { count = 0 }

local successors = setmetatable({}, { __mode = 'k' })

--- Records that a new tensor replaced an old one.
function replaced.note(old, new)
  successors[old] = new
  replaced.count = replaced.count + 1
end

--- Returns the latest successor of a tensor: itself, unless it was replaced.
function replaced.latest(x)
  while successors[x] do x = successors[x] end
  return x
end

return replaced
