--- Reshapes arguments of composed ops.
-- @module torch.names.reshape
local torch = require 'torch'

--- Returns x with other sizes and as many elements: x itself if it has these sizes, a view if the strides allow it, else a copy.
-- @tparam torch.Tensor x
-- @tparam {int,...} sizes
-- @treturn torch.Tensor
return function(x, sizes)
  local same = x:dim() == #sizes
  for d = 1, same and #sizes or 0 do same = same and x:size(d) == sizes[d] end
  if same then return x end
  if x:isContiguous() then return torch.view(x, sizes) end
  return torch.reshape(x, sizes)
end
