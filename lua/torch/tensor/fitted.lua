--- Tensors with another number of slices along a dimension: the input of Fourier transforms with a given number of points.
-- @module torch.tensor.fitted
local torch = require 'torch'

--- Returns x with n slices along a dimension: x, its first slices as a view, or a new tensor with zeros after them.
-- @tparam torch.Tensor x
-- @int dim from 1
-- @int n from 1
-- @treturn torch.Tensor
return function(x, dim, n)
  if n == x:size(dim) then return x end
  if n < x:size(dim) then return torch.narrow(x, dim, 1, n) end
  local sizes = x:size()
  sizes[dim] = n - sizes[dim]
  return torch.cat(x, x.new():resize(sizes):zero(), dim)
end
