--- Passes each child a slice of its input, and concatenates their outputs along a dimension.
-- Shapes: child i gets x:select(inputDimension, i). Children beyond the last slice are not called.
-- @classmod nn.Parallel
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local branches, nested = require 'nn.support.branches', require 'nn.nested'
local refuse = require 'torch.check.refuse'

local Parallel, parent = torch.class('nn.Parallel', 'nn.Container')

--- @tparam int inputDimension of the slices; without it, the container only holds modules
-- @tparam int outputDimension along which to concatenate
function Parallel:__init(inputDimension, outputDimension)
  parent.__init(self)
  self.totalOutputSize = torch.LongStorage()
  self.inputDimension, self.outputDimension = inputDimension, outputDimension
end

function Parallel:count(input)
  local x = check.tensor(torch.type(self), 'input', input)
  local slices = x:size(check.dim(torch.type(self), 'inputDimension', x, self.inputDimension, true))
  if slices > #self.modules then
    refuse.shape(('%s: input: %d slices, expected %d, one for each module'):format(torch.type(self), slices, #self.modules))
  end
  return slices
end

-- A slice of a vector is a tensor of one element here, so that children get a tensor.
function Parallel.given(input, i, self)
  if input:dim() == 1 then return torch.narrow(input, 1, i, 1) end
  return torch.select(input, self.inputDimension, i)
end

function Parallel:join(outputs, held)
  local dim = check.whole('nn.Parallel', 'outputDimension', self.outputDimension)
  local output = held and nested.cat(held, outputs, dim) or torch.cat(outputs, dim)
  self.totalOutputSize = output:size()
  return output
end

function Parallel:part(gradOutput, i)
  local first, dim = 1, self.outputDimension
  for k = 1, i - 1 do first = first + self.modules[k].output:size(dim) end
  return gradOutput:narrow(dim, first, self.modules[i].output:size(dim))
end

function Parallel:collect(gradients, input)
  local gradInput
  for i = 1, self:count(input) do
    if gradients[i] ~= nil then
      gradInput = gradInput or (nested.isReusable(self.gradInput, input) and self.gradInput or input.new()):resizeAs(input):zero()
      Parallel.given(gradInput, i, self):copy(gradients[i])
    end
  end
  return gradInput
end

return branches.install(Parallel)
