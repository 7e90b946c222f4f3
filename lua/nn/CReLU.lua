--- relu(x) and relu(-x), concatenated along the first dimension of a sample, whose size doubles.
-- Source: Shang et al. (2016), "Understanding and Improving Convolutional Neural Networks via Concatenated Rectified Linear Units", ICML.
-- Shapes: x (n, …) or (N, n, …) -> (2 n, …) or (N, 2 n, …).
-- @classmod nn.CReLU
local nn = require 'nn'

local CReLU, parent = nn.declare {
  name = 'nn.CReLU', parent = 'nn.Sequential',
  samples = { { 'CReLU(1)', { 4, 3 }, rows = true } },
}

--- @tparam int nInputDims number of dimensions of a sample; an input with one more is a batch
-- @tparam[opt=false] boolean inplace
function CReLU:__init(nInputDims, inplace)
  parent.__init(self)
  self.nInputDims, self.inplace = nInputDims, inplace or false
  self:add(nn.ConcatTable():add(nn.Identity()):add(nn.MulConstant(-1)))
  self:add(nn.JoinTable(1, nInputDims))
  self:add(nn.ReLU(self.inplace))
end

function CReLU:__tostring__()
  return 'CReLU()'
end

return CReLU
