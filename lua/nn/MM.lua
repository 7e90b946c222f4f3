--- Products of two matrices: {A, B} -> A B, either transposed first if wanted.
-- Shapes: two matrices, or two batches of as many.
-- @classmod nn.MM
local torch, nn = require 'torch', require 'nn'

-- By dimensions, and by which are transposed.
local formulas = { [2] = { [true] = {}, [false] = {} }, [3] = { [true] = {}, [false] = {} } }
for dims, product in pairs { [2] = 'mm(%s, %s)', [3] = 'bmm(%s, %s)' } do
  local turned = dims == 2 and 't(input[%d])' or 'transpose(input[%d], 2, 3)'
  local function operand(i, transposed) return (transposed and turned or 'input[%d]'):format(i) end
  for a, list in pairs(formulas[dims]) do
    for _, b in ipairs { true, false } do list[b] = product:format(operand(1, a), operand(2, b)) end
  end
end

local MM, parent = nn.declare {
  name = 'nn.MM', takes = 'table',
  formula = function(self, input)
    assert(#input == 2, 'input must be a pair of minibatch matrices')
    local a, b, transA, transB = input[1], input[2], self.transA and true or false, self.transB and true or false
    local dims = a:dim()
    assert(dims == 2 or dims == 3, 'input tensors must be 2D or 3D')
    if b:dim() ~= dims then error(('second input tensor must be %dD'):format(dims)) end
    if dims == 3 then assert(a:size(1) == b:size(1), 'inputs must contain the same number of minibatches') end
    assert(a:size(transA and dims - 1 or dims) == b:size(transB and dims or dims - 1), 'matrix sizes do not match')
    return formulas[dims][transA][transB]
  end,
  samples = { { 'MM()', { { 3, 2 }, { 2, 4 } } }, { 'MM(true, true)', { { 2, 3, 2 }, { 2, 4, 3 } } } },
}

--- @tparam[opt=false] boolean transA
-- @tparam[opt=false] boolean transB
function MM:__init(transA, transB)
  parent.__init(self)
  self.transA, self.transB = transA or false, transB or false
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

return MM
