--- Combines corresponding entries of tables, without copies: {{a1, a2, ...}, {b1, b2, ...}, ...} -> {{a1, b1, ...}, {a2, b2, ...}, ...}.
-- @classmod nn.ZipTable
local nn, explain = require 'nn', require 'nn.support.explain'

local function zip(lists)
  local zipped = {}
  for i, entries in ipairs(lists) do
    for j, entry in ipairs(entries) do
      zipped[j] = zipped[j] or {}
      zipped[j][i] = entry
    end
  end
  return zipped
end

local ZipTable, parent = nn.declare {
  name = 'nn.ZipTable', takes = 'table',
  widens = false,
  compute = function(self, input) return zip(explain.input(self, input)) end,
  forward = function(self, input)
    self.output = self:compute(input)
    return self.output
  end,
  -- The inverse operation for the gradients.
  backward = function(self, _, gradOutput)
    explain.gradient(self, gradOutput, self.output)
    self.gradInput = zip(gradOutput)
    return self.gradInput
  end,
  samples = { { 'ZipTable()', { { { 3 }, { 2 } }, { { 4 }, { 5 } } } } },
}

function ZipTable:__init()
  parent.__init(self)
  self.output, self.gradInput = {}, {}
end

ZipTable.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return ZipTable
