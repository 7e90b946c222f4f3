--- Reshapes a tensor to the sizes of another.
-- @module nn.support.reshape_like
local torch, C = require 'torch', require 'libmoontorch'

local sameSizes = C.sameSizes

--- Returns x itself if it has the sizes of `like`, else its elements in that shape.
-- @tparam torch.Tensor x as many elements as `like`
-- @tparam torch.Tensor like
-- @treturn torch.Tensor
return function(x, like)
  if sameSizes(x, like) then return x end
  return torch.viewAs(torch.contiguous(x), like)
end
