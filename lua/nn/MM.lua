--- Products of two matrices: {A, B} -> A B, either transposed first if wanted.
-- Shapes: two matrices, or two batches of as many.
-- @classmod nn.MM
local torch = require 'torch'
require 'nn'

local MM, parent = torch.class('nn.MM', 'nn.Module')
MM.takes = 'table'

--- @tparam[opt=false] boolean transA
-- @tparam[opt=false] boolean transB
function MM:__init(transA, transB)
  parent.__init(self)
  self.transA, self.transB = transA or false, transB or false
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

function MM:compute(input)
  assert(#input == 2, 'input must be a pair of minibatch matrices')
  local a, b = input[1], input[2]
  local dims = a:dim()
  assert(dims == 2 or dims == 3, 'input tensors must be 2D or 3D')
  assert(b:dim() == dims, ('second input tensor must be %dD'):format(dims))
  if dims == 3 then assert(a:size(1) == b:size(1), 'inputs must contain the same number of minibatches') end
  if self.transA then a = torch.transpose(a, dims - 1, dims) end
  if self.transB then b = torch.transpose(b, dims - 1, dims) end
  assert(a:size(dims) == b:size(dims - 1), 'matrix sizes do not match')
  return dims == 2 and torch.mm(a, b) or torch.bmm(a, b)
end

return MM
