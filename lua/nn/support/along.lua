--- The dimension of a softmax: PyTorch's choice if there is none.
-- @module nn.support.along
--- @tparam torch.Tensor input
-- @tparam ?int dim
-- @treturn int dim, by default 1 for tensors of 1 or 3 dimensions, else 2
return function(input, dim)
  if dim then return dim end
  local dims = input:dim()
  return (dims == 1 or dims == 3) and 1 or 2
end
