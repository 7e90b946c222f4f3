--- Products of two matrices: {A, B} -> A B, where either may be transposed first.
-- Shapes: two matrices, or two batches of equal size.
-- @classmod nn.MM
local torch, nn = require 'torch', require 'nn'
local refuse = require 'torch.check.refuse'

-- Formulas by number of dimensions, and by which matrices are transposed.
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
    if #input ~= 2 then refuse.shape('input must be a pair of minibatch matrices') end
    local a, b, transA, transB = input[1], input[2], self.transA and true or false, self.transB and true or false
    local dims = a:dim()
    if dims ~= 2 and dims ~= 3 then refuse.shape('input tensors must be 2D or 3D') end
    if b:dim() ~= dims then refuse.shape(('second input tensor must be %dD'):format(dims), 1) end
    if dims == 3 and a:size(1) ~= b:size(1) then refuse.shape('inputs must contain the same number of minibatches') end
    if a:size(transA and dims - 1 or dims) ~= b:size(transB and dims or dims - 1) then refuse.shape('matrix sizes do not match') end
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
