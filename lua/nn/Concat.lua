--- Passes its input to each child and concatenates their outputs along a dimension.
-- Shapes: x of any shape -> the concatenated outputs, whose other dimensions are equal.
-- @classmod nn.Concat
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local branches, nested, slicesOf = require 'nn.support.branches', require 'nn.nested', require 'autograd.slices'

local Concat, parent = torch.class('nn.Concat', 'nn.Container')

--- @tparam int dimension along which to concatenate, including the batch dimension
function Concat:__init(dimension)
  parent.__init(self)
  self.outputSize = torch.LongStorage()
  self.dimension = dimension
end

function Concat:join(outputs, held)
  local dim = check.whole(torch.type(self), 'dimension', self.dimension)
  local output = held and nested.cat(held, outputs, dim) or torch.cat(outputs, dim)
  self.outputSize = output:size()
  return output
end

function Concat:part(gradOutput, i)
  local first = 1
  for k = 1, i - 1 do first = first + self.modules[k].output:size(self.dimension) end
  return slicesOf(gradOutput, self.dimension, first, self.modules[i].output:size(self.dimension))
end

function Concat:collect(gradients, _, gradOutput)
  return branches.sum(gradients, #self.modules, self.gradInput, gradOutput)
end

return branches.install(Concat)
