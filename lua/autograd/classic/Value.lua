--- torch-autograd's class of recorded values, as far as programs ask it for anything: `Value.len(t)`. Here what is recorded are tensors
-- and plain tables, so that there is nothing else to it.
-- @module autograd.classic.Value
local Value = {}

--- The length of a table or a list, recorded or not.
-- @param t a table, tensor, storage or text
-- @treturn int for a tensor the size of its first dimension
function Value.len(t)
  if type(t) == 'userdata' and require('torch').isTensor(t) then return t:dim() > 0 and t:size(1) or 0 end
  return #t
end

return Value
