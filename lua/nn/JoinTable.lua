--- Concatenates the tensors of a table along a dimension.
-- Shapes: {(…, n1, …), (…, n2, …), ...} -> (…, n1 + n2 + ..., …).
-- @classmod nn.JoinTable
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local nn, run, explain = require 'nn', require 'nn.support.run', require 'nn.support.explain'
local isTensor, joinInto, cutInto = C.isTensor, C.joinInto, C.cutInto

local function dimensionOf(self, input)
  if type(input) ~= 'table' or not isTensor(input[1]) then explain.refuse(self, input) end
  local dims, dim = input[1]:dim(), self.dimension
  if type(dim) ~= 'number' or dim % 1 ~= 0 then dim = check.whole('nn.JoinTable', 'dimension', dim) end
  if dim < 0 then return dims + dim + 1 end
  return self.nInputDims and dims == self.nInputDims + 1 and dim + 1 or dim
end

local JoinTable, parent = nn.declare {
  name = 'nn.JoinTable', takes = 'table', letsGo = true,
  widens = false,
  compute = function(self, input)
    local output = torch.cat(input, dimensionOf(self, input))
    self.size = output:size()
    return output
  end,
  forward = function(self, input)
    local output, isResized = joinInto(self.output, input, dimensionOf(self, input))
    if not output then return run.forward(self, input) end
    self.output = output
    if isResized then self.size = output:size() end
    return output
  end,
  backward = function(self, input, gradOutput)
    if self.gradInput == nil then return nil end
    local gradInput = cutInto(self.gradInput, input, gradOutput, dimensionOf(self, input))
    if not gradInput then return run.backward(self, input, gradOutput, true) end
    self.gradInput = gradInput
    return gradInput
  end,
  samples = { { 'JoinTable(2)', { { 3, 2 }, { 3, 4 } } }, { 'JoinTable(1, 1)', { { 3, 2 }, { 3, 4 } } } },
}

--- @tparam int dimension along which to concatenate; negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: for an input with one more, `dimension` is shifted by one
function JoinTable:__init(dimension, nInputDims)
  parent.__init(self)
  self.size = torch.LongStorage()
  self.dimension, self.nInputDims = dimension, nInputDims
  self.gradInput = {}
end

return JoinTable
