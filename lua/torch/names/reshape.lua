--- Other sizes for what a composed op is about to read.
-- @module torch.names.reshape
local torch = require 'torch'

--- x with other sizes and as many elements: x itself where it has them, a view where memory allows it, else a copy.
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
