--- The cosine between vectors: {a, b} -> <a, b> / (|a| |b|), with 1e-12 added to the squared lengths.
-- Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.CosineDistance
local torch, nn = require 'torch', require 'nn'
local refuse = require 'torch.check.refuse'

local eps = 1e-12
local formulas = {}                                                -- by dimensions
for dims = 1, 2 do
  local function product(a, b) return ('sum(cmul(input[%d], input[%d]), %d)'):format(a, b, dims) end
  local function length(i) return ('sqrt(add(%s, eps))'):format(product(i, i)) end
  formulas[dims] = ('cdiv(cdiv(%s, %s), %s)'):format(product(1, 2), length(1), length(2))
end
formulas[2] = ('clone(select(%s, 2, 1))'):format(formulas[2])

local CosineDistance, parent = nn.declare {
  name = 'nn.CosineDistance', takes = 'table',
  values = { 'eps' },
  formula = function(_, input)
    return formulas[input[1]:dim()] or refuse.shape 'nn.CosineDistance: input: input must be vector or matrix', eps
  end,
  samples = { { 'CosineDistance()', { { 3, 2 }, { 3, 2 } } }, { 'CosineDistance()', { { 5 }, { 5 } }, of = 'vectors' } },
}

function CosineDistance:__init()
  parent.__init(self)
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

return CosineDistance
