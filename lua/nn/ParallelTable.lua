--- Passes each child an entry of its input: {x1, x2, ...} -> {child 1 (x1), child 2 (x2), ...}.
-- @classmod nn.ParallelTable
local torch = require 'torch'
require 'nn'
local branches = require 'nn.support.branches'

local ParallelTable, parent = torch.class('nn.ParallelTable', 'nn.Container')

function ParallelTable:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
end

branches.byEntry(ParallelTable)
return branches.install(ParallelTable)
