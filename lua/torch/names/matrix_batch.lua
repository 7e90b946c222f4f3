--- Batches of matrices: tensors whose last two dimensions are those of matrices.
-- @module torch.names.matrix_batch
local elements = require 'torch.names.element_count'

local batch = {}

--- Returns the number of matrices in x.
function batch.count(x) return elements(x:size(), 1, x:dim() - 2) end

--- Returns one result per matrix of a; for a single matrix a number, unless it is tracked.
-- @tparam torch.Tensor y as many elements as there are matrices
-- @tparam torch.Tensor a
-- @treturn number|torch.Tensor
function batch.each(y, a)
  if a:dim() == 2 then return y:view(1)[1] end
  local sizes = a:size():totable()
  sizes[#sizes], sizes[#sizes - 1] = nil, nil
  return y:view(sizes)
end

return batch
