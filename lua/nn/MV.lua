--- Products of a matrix and a vector: {M, v} -> M v, or M' v.
-- Shapes: (n, m) and (m) -> (n), or (N, n, m) and (N, m) -> (N, n).
-- @classmod nn.MV
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local MV, parent = torch.class('nn.MV', 'nn.Module')
MV.takes = 'table'

--- @tparam[opt=false] boolean trans
function MV:__init(trans)
  parent.__init(self)
  self.trans = trans or false
  check.that(type(self.trans) == 'boolean', 'argument must be a boolean, matrix transpose before multiplication')
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

function MV:compute(input)
  assert(#input == 2, 'input must be a pair of minibatch matrices')
  local matrix, vector = input[1], input[2]
  local dims = matrix:dim()
  assert(dims == 2 or dims == 3, 'input matrix must be 2D or 3D')
  assert(vector:dim() == dims - 1, 'input vector must be ' .. dims - 1 .. 'D')
  if dims == 3 then assert(matrix:size(1) == vector:size(1), 'inputs must have the same number of minibatches') end
  if self.trans then matrix = torch.transpose(matrix, dims - 1, dims) end
  assert(matrix:size(dims) == vector:size(dims - 1), 'matrix row count and vector length do not match')
  if dims == 2 then return torch.mv(matrix, vector) end
  local product = torch.bmm(matrix, torch.view(vector:contiguous(), vector:size(1), vector:size(2), 1))
  return torch.view(product, product:size(1), product:size(2))
end

return MV
