--- Pairs one entry with each of a table, the very entries: {x, {y1, y2, ...}} -> {{x, y1}, {x, y2}, ...}.
-- @classmod nn.ZipTableOneToMany
local torch = require 'torch'
require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local ZipTableOneToMany, parent = torch.class('nn.ZipTableOneToMany', 'nn.Module')
ZipTableOneToMany.takes = 'table'

function ZipTableOneToMany:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
  self.gradInputEl = torch.Tensor()
end

function ZipTableOneToMany:compute(input)
  assert(#explain.input(self, input) == 2, 'input must be table of element and table')
  local pairs = {}
  for i, entry in ipairs(input[2]) do pairs[i] = { input[1], entry } end
  return pairs
end

function ZipTableOneToMany:updateOutput(input)
  self.output = self:compute(input)
  return self.output
end

--- The sum of the gradients by x, in the field `gradInputEl`, and those by each y.
function ZipTableOneToMany:updateGradInput(input, gradOutput)
  explain.gradient(self, gradOutput, self.output)
  local sum, list = nested.recursiveResizeAs(self.gradInputEl, input[1]), {}
  nested.recursiveFill(sum, 0)
  for i, entry in ipairs(gradOutput) do
    nested.recursiveAdd(sum, entry[1])
    list[i] = entry[2]
  end
  self.gradInputEl, self.gradInput = sum, { sum, list }
  return self.gradInput
end

ZipTableOneToMany.derived = {
  updateOutput = ZipTableOneToMany.updateOutput, updateGradInput = ZipTableOneToMany.updateGradInput,
  accGradParameters = parent.accGradParameters,
}

return ZipTableOneToMany
