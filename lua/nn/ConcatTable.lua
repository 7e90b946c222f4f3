--- Passes its input to each child: x -> {child 1 (x), child 2 (x), ...}.
-- @classmod nn.ConcatTable
local torch = require 'torch'
require 'nn'
local branches = require 'nn.support.branches'

local ConcatTable, parent = torch.class('nn.ConcatTable', 'nn.Container')

function ConcatTable:__init()
  parent.__init(self)
  self.output = {}
end

ConcatTable.join = branches.inTable

function ConcatTable:part(gradOutput, i)
  return gradOutput[i]
end

function ConcatTable:collect(gradients, _, gradOutput)
  return branches.sum(gradients, #self.modules, self.gradInput, gradOutput)
end

return branches.install(ConcatTable)
