--- Pairs one entry with each of a table: {x, {y1, y2, ...}} -> {{x, y1}, {x, y2}, ...}.
-- @classmod nn.ZipTableOneToMany
local torch = require 'torch'
require 'nn'

local ZipTableOneToMany, parent = torch.class('nn.ZipTableOneToMany', 'nn.Module')
ZipTableOneToMany.takes = 'table'

function ZipTableOneToMany:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
  self.gradInputEl = torch.Tensor()
end

function ZipTableOneToMany:compute(input)
  assert(#input == 2, 'input must be table of element and table')
  local pairs = {}
  for i, entry in ipairs(input[2]) do pairs[i] = { input[1], entry } end
  return pairs
end

return ZipTableOneToMany
