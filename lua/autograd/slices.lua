--- Slices of a tensor along one dimension, laid out as it is: of images with their channels last a copy, which goes on so, else a view.
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
