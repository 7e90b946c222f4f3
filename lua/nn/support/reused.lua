--- Where a gradient goes: over the last one where nobody else sees that, so that it stays in the processor's caches.
-- @module nn.support.reused
local C = require 'libmoontorch'

local isTensor, sameKind, tracked, isExclusive = C.isTensor, C.sameKind, C.tracked, C.isExclusive

--- @tparam function op
-- @param held a module's gradInput: the result's place, where it is free and of the layout that a new one would have
-- @tparam torch.Tensor g op's first argument, a tensor of the result's type
-- @param ... others
-- @treturn torch.Tensor what op gives
return function(op, held, g, ...)
  if isTensor(held) and not rawequal(held, g) and sameKind(held, g) and not tracked(held) and isExclusive(held) and held:isContiguous()
    and g:isContiguous() then
    return op(held, g, ...)
  end
  return op(g, ...)
end
