--- Products of a matrix and a vector: {M, v} -> M v, or M' v.
-- Shapes: (n, m) and (m) -> (n), or (N, n, m) and (N, m) -> (N, n).
-- @classmod nn.MV
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'

local ofBatch = 'clone(select(bmm(%s, unsqueeze(input[2], 3)), 3, 1))'
-- By the matrix's dimensions, and by whether it is transposed.
local formulas = {
  [2] = { [false] = 'mv(input[1], input[2])', [true] = 'mv(t(input[1]), input[2])' },
  [3] = { [false] = ofBatch:format 'input[1]', [true] = ofBatch:format 'transpose(input[1], 2, 3)' },
}

local MV, parent = nn.declare {
  name = 'nn.MV', takes = 'table',
  formula = function(self, input)
    assert(#input == 2, 'input must be a pair of minibatch matrices')
    local matrix, vector, trans = input[1], input[2], self.trans and true or false
    local dims = matrix:dim()
    assert(dims == 2 or dims == 3, 'input matrix must be 2D or 3D')
    if vector:dim() ~= dims - 1 then error('input vector must be ' .. dims - 1 .. 'D') end
    if dims == 3 then assert(matrix:size(1) == vector:size(1), 'inputs must have the same number of minibatches') end
    assert(matrix:size(trans and dims - 1 or dims) == vector:size(dims - 1), 'matrix row count and vector length do not match')
    return formulas[dims][trans]
  end,
  samples = { { 'MV()', { { 3, 2 }, { 2 } } }, { 'MV(true)', { { 2, 3, 2 }, { 2, 3 } } } },
}

--- @tparam[opt=false] boolean trans
function MV:__init(trans)
  parent.__init(self)
  self.trans = trans or false
  check.that(type(self.trans) == 'boolean', 'argument must be a boolean, matrix transpose before multiplication')
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

return MV
