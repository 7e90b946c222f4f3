--- Joins the tensors of a table along a dimension.
-- Shapes: {(…, n1, …), (…, n2, …), ...} -> (…, n1 + n2 + ..., …).
-- @classmod nn.JoinTable
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local slicesOf, explain, nested = require 'autograd.slices', require 'nn.support.explain', require 'nn.nested'

local JoinTable, parent = torch.class('nn.JoinTable', 'nn.Module')
JoinTable.takes = 'table'

--- @tparam int dimension along which to join; negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: in an input with one more, `dimension` is one further
function JoinTable:__init(dimension, nInputDims)
  parent.__init(self)
  self.size = torch.LongStorage()
  self.dimension, self.nInputDims = dimension, nInputDims
  self.gradInput = {}
end

local function dimensionOf(self, input)
  if type(input) ~= 'table' or not torch.isTensor(input[1]) then explain.refuse(self, input) end
  local dims, dim = input[1]:dim(), check.int('nn.JoinTable', 'dimension', self.dimension)
  if dim < 0 then return dims + dim + 1 end
  return self.nInputDims and dims == self.nInputDims + 1 and dim + 1 or dim
end

function JoinTable:compute(input)
  local output = torch.cat(input, dimensionOf(self, input))
  self.size = output:size()
  return output
end
JoinTable.letsGo = JoinTable.compute

-- Sequences of many steps are joined and cut in every pass: both are written out, without a record of each entry.
function JoinTable:updateOutput(input)
  self.output = nested.cat(self.output, input, dimensionOf(self, input))
  if not torch.isStorage(self.size) or not self.output:isSize(self.size) then self.size = self.output:size() end
  return self.output
end

function JoinTable:updateGradInput(input, gradOutput)
  local held, gradInput, dim, first = self.gradInput, {}, dimensionOf(self, input), 1
  if held == nil then return nil end
  if type(held) ~= 'table' then held = {} end
  for i = 1, #input do
    local x, g = input[i], held[i]
    if gradOutput:isChannelsLast() and x:type() == gradOutput:type() then
      gradInput[i] = slicesOf(gradOutput, dim, first, x:size(dim))
    else
      if not nested.isReusable(g, x) then g = x.new() end
      gradInput[i] = g:resizeAs(x)
      if x:isFloatingPoint() then g:copy(gradOutput:narrow(dim, first, x:size(dim))) else g:zero() end
    end
    first = first + x:size(dim)
  end
  self.gradInput = nested.refill(held, gradInput, #input)
  return self.gradInput
end

JoinTable.derived = {
  updateOutput = JoinTable.updateOutput, updateGradInput = JoinTable.updateGradInput, accGradParameters = parent.accGradParameters,
}

return JoinTable
