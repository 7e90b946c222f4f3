--- Products of a matrix and a vector: {M, v} -> M v, or M' v.
-- Shapes: (n, m) and (m) -> (n), or (N, n, m) and (N, m) -> (N, n).
-- @classmod nn.MV
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

local ofBatch = 'clone(select(bmm(%s, unsqueeze(input[2], 3)), 3, 1))'
-- Formulas by the matrix's number of dimensions, and by whether it is transposed.
local formulas = {
  [2] = { [false] = 'mv(input[1], input[2])', [true] = 'mv(t(input[1]), input[2])' },
  [3] = { [false] = ofBatch:format 'input[1]', [true] = ofBatch:format 'transpose(input[1], 2, 3)' },
}

local MV, parent = nn.declare {
  name = 'nn.MV', takes = 'table',
  formula = function(self, input)
    if #input ~= 2 then refuse.shape('input must be a pair of minibatch matrices') end
    local matrix, vector, trans = input[1], input[2], self.trans and true or false
    local dims = matrix:dim()
    if dims ~= 2 and dims ~= 3 then refuse.shape('input matrix must be 2D or 3D') end
    if vector:dim() ~= dims - 1 then refuse.shape('input vector must be ' .. dims - 1 .. 'D', 1) end
    if dims == 3 and matrix:size(1) ~= vector:size(1) then refuse.shape('inputs must have the same number of minibatches') end
    if matrix:size(trans and dims - 1 or dims) ~= vector:size(dims - 1) then
      refuse.shape('matrix row count and vector length do not match')
    end
    return formulas[dims][trans]
  end,
  samples = { { 'MV()', { { 3, 2 }, { 2 } } }, { 'MV(true)', { { 2, 3, 2 }, { 2, 3 } } } },
}

--- @tparam[opt=false] boolean trans
function MV:__init(trans)
  parent.__init(self)
  self.trans = trans or false
  check.that(type(self.trans) == 'boolean', 'nn.MV: trans: argument must be a boolean, matrix transpose before multiplication')
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

return MV
