--- Combines one entry with each entry of a table, without copies: {x, {y1, y2, ...}} -> {{x, y1}, {x, y2}, ...}.
-- @classmod nn.ZipTableOneToMany
local torch, nn = require 'torch', require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local ZipTableOneToMany, parent = nn.declare {
  name = 'nn.ZipTableOneToMany', takes = 'table',
  widens = false,
  compute = function(self, input)
    assert(#explain.input(self, input) == 2, 'input must be table of element and table')
    local pairs = {}
    for i, entry in ipairs(input[2]) do pairs[i] = { input[1], entry } end
    return pairs
  end,
  forward = function(self, input)
    self.output = self:compute(input)
    return self.output
  end,
  -- The sum of the gradients by x, in the field `gradInputEl`, and those by each y.
  backward = function(self, input, gradOutput)
    explain.gradient(self, gradOutput, self.output)
    local sum, list = nested.recursiveResizeAs(self.gradInputEl, input[1]), {}
    nested.recursiveFill(sum, 0)
    for i, entry in ipairs(gradOutput) do
      nested.recursiveAdd(sum, entry[1])
      list[i] = entry[2]
    end
    self.gradInputEl, self.gradInput = sum, { sum, list }
    return self.gradInput
  end,
  samples = { { 'ZipTableOneToMany()', { { 3 }, { { 2 }, { 4 } } } } },
}

function ZipTableOneToMany:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
  self.gradInputEl = torch.Tensor()
end

ZipTableOneToMany.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return ZipTableOneToMany
