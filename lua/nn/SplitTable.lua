--- Splits a tensor along a dimension: a table of its slices, which share its memory.
-- @classmod nn.SplitTable
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local nn, run, explain = require 'nn', require 'nn.support.run', require 'nn.support.explain'
local slices, stackInto = C.slices, C.stackInto

local function dimensionOf(self, input)
  local dims, dim = explain.input(self, input):dim(), self.dimension
  if type(dim) ~= 'number' or dim % 1 ~= 0 then dim = check.whole('nn.SplitTable', 'dimension', dim) end
  if dim < 0 then return dims + dim + 1 end
  return self.nInputDims and dims == self.nInputDims + 1 and dim + 1 or dim
end

local SplitTable, parent = nn.declare {
  name = 'nn.SplitTable',
  widens = false,
  compute = function(self, input)
    local dim, list = dimensionOf(self, input), {}
    for i = 1, input:size(dim) do list[i] = torch.select(input, dim, i) end
    return list
  end,
  -- Views, in a new table each time, because programs keep the tables of several passes.
  forward = function(self, input)
    self.output = slices(input, dimensionOf(self, input)) or torch.noGrad(run.onTape, self, input)
    return self.output
  end,
  -- A direct implementation: the sum of the gradients of single slices, each a whole input of zeros except for the slice, takes time
  -- quadratic in their number.
  backward = function(self, input, gradOutput)
    if self.gradInput == nil then return nil end
    local gradInput = stackInto(self.gradInput, input, dimensionOf(self, input), gradOutput)
    if not gradInput then return run.backward(self, input, gradOutput, true) end
    self.gradInput = gradInput
    return gradInput
  end,
  samples = { { 'SplitTable(2)', { 3, 2, 2 } }, { 'SplitTable(1, 1)', { 3, 2 } } },
}

--- @tparam int dimension that is removed in the slices; negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: for an input with one more, `dimension` is shifted by one
function SplitTable:__init(dimension, nInputDims)
  parent.__init(self)
  self.dimension, self.nInputDims = dimension, nInputDims
end

return SplitTable
