--- Swaps dimensions, pair after pair: `nn.Transpose({d1, d2}, {d3, d4}, ...)`. The output is a copy.
-- @classmod nn.Transpose
local torch, nn = require 'torch', require 'nn'

-- Formulas by number of pairs, and the names of dimensions in them; longer lists have no formula.
local formulas, names = {}, { 'a', 'b', 'c', 'd', 'e', 'f' }
do
  local text = 'input'
  for pair = 1, #names / 2 do
    text = ('transpose(%s, %s, %s)'):format(text, names[2 * pair - 1], names[2 * pair])
    formulas[pair] = ('clone(%s)'):format(text)
  end
end

local Transpose, parent = nn.declare {
  name = 'nn.Transpose',
  values = names,
  formula = function(self, input)
    local pairs, offset = self.permutations, self.numInputDims and input:dim() - self.numInputDims or 0
    local text, dims = formulas[#pairs], {}
    if not text then return nil end
    for i = 1, #pairs do dims[2 * i - 1], dims[2 * i] = pairs[i][1] + offset, pairs[i][2] + offset end
    return text, unpack(dims)
  end,
  otherwise = function(self, input)
    local offset = self.numInputDims and input:dim() - self.numInputDims or 0
    local output = input
    for _, pair in ipairs(self.permutations) do output = torch.transpose(output, pair[1] + offset, pair[2] + offset) end
    return torch.clone(output)
  end,
  samples = {
    { 'Transpose({ 1, 2 }, { 2, 3 })', { 2, 3, 4 } }, { 'Transpose({ 1, 2 }):setNumInputDims(2)', { 2, 3, 4 }, rows = true },
  },
}

function Transpose:__init(...)
  parent.__init(self)
  self.permutations = { ... }
  self.numInputDims = nil
end

--- Sets the number of dimensions of a sample: those before them are not counted.
-- @int numInputDims
-- @treturn nn.Transpose self
function Transpose:setNumInputDims(numInputDims)
  self.numInputDims = numInputDims
  return self
end

return Transpose
