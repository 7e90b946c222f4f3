--- Slices of a tensor along one dimension in the tensor's memory format: a copy for channels-last images, else a view.
-- @module autograd.slices
local torch = require 'torch'

--- @tparam torch.Tensor x
-- @tparam int dim
-- @tparam int first
-- @tparam int length
-- @treturn torch.Tensor
return function(x, dim, first, length)
  local slices = torch.narrow(x, dim, first, length)
  return x:isChannelsLast() and torch.channelsLast(slices) or slices
end
