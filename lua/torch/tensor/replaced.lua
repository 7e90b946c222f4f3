--- Where tensors went that a conversion replaced (`net:float()`), for those that still hold the old ones: optimisers.
-- @module torch.tensor.replaced
local moved = { count = 0 }

local successors = setmetatable({}, { __mode = 'k' })

--- Says that a new tensor stands in the place of an old one.
function moved.note(old, new)
  successors[old] = new
  moved.count = moved.count + 1
end

--- What stands in the place of a tensor now: itself, unless it was replaced.
function moved.latest(x)
  while successors[x] do x = successors[x] end
  return x
end

return moved
