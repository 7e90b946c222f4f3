--- Takes a tensor apart along a dimension: a table of its slices, which share its memory.
-- @classmod nn.SplitTable
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local explain = require 'nn.support.explain'
local run = require 'nn.support.run'

local SplitTable, parent = torch.class('nn.SplitTable', 'nn.Module')

--- @tparam int dimension which the slices lack; negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: in an input with one more, `dimension` is one further
function SplitTable:__init(dimension, nInputDims)
  parent.__init(self)
  self.dimension, self.nInputDims = dimension, nInputDims
end

local function dimensionOf(self, input)
  local dims, dim = input:dim(), check.int('nn.SplitTable', 'dimension', self.dimension)
  if dim < 0 then return dims + dim + 1 end
  return self.nInputDims and dims == self.nInputDims + 1 and dim + 1 or dim
end

function SplitTable:compute(input)
  local dim, slices = dimensionOf(self, input), {}
  for i = 1, input:size(dim) do slices[i] = torch.select(input, dim, i) end
  return slices
end

-- Views; updateGradInput needs no record of them.
function SplitTable:updateOutput(input)
  self.output = torch.noGrad(run.onTape, self, input)
  return self.output
end

-- Written out, since the sum of what slices say one by one, each a whole input of zeros but for the slice, takes time quadratic in their
-- number.
function SplitTable:updateGradInput(input, gradOutput)
  if self.gradInput == nil then return nil end
  if self.gradInput:type() ~= explain.input(self, input):type() then self.gradInput = input.new() end
  local gradInput, dim = self.gradInput:resizeAs(input), dimensionOf(self, input)
  for i = 1, input:size(dim) do
    local slice, g = gradInput:narrow(dim, i, 1), gradOutput[i]
    if g and input:isFloatingPoint() then slice:copy(g) else slice:zero() end
  end
  return gradInput
end

SplitTable.derived = {
  updateOutput = SplitTable.updateOutput, updateGradInput = SplitTable.updateGradInput, accGradParameters = parent.accGradParameters,
}

return SplitTable
