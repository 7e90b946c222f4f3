--- torch-autograd's class of recorded values, as far as programs use it: `Value.len(t)`. Here tensors and plain tables are recorded, so no
-- other method is necessary.
-- @module autograd.classic.Value
local Value = {}

--- Returns the length of a table or a list, recorded or not.
-- @param t a table, tensor, storage or text
-- @treturn int for a tensor the size of its first dimension
function Value.len(t)
  if type(t) == 'userdata' and require('torch').isTensor(t) then return t:dim() > 0 and t:size(1) or 0 end
  return #t
end

return Value
