--- One entry of a table: the same object.
-- @classmod nn.SelectTable
local torch, C = require 'torch', require 'libmoontorch'
local nn, nested = require 'nn', require 'nn.nested'
local run, explain = require 'nn.support.run', require 'nn.support.explain'
local refuse = require 'torch.check.refuse'
local isTensor, alike, tracked, nestedCopy, nestedZeros = C.isTensor, C.alike, C.tracked, C.nestedCopy, C.nestedZeros

local function keyIn(self, input)
  if type(input) ~= 'table' and not isTensor(input) then explain.refuse(self, input) end
  local index = self.index
  return type(index) == 'number' and index < 0 and #input + index + 1 or index
end

local function entryOf(self, input)
  local entry = input[keyIn(self, input)]
  if entry == nil then refuse.range('index does not exist in the input table') end
  return entry
end

-- Whether gradInput is a copy of gradOutput, and zeros; otherwise it comes from a record.
local function isPlain(self, input, gradOutput)
  if self.compute ~= entryOf or self.gradInput == nil or not nested.isPlain(input) then return false end
  return alike(input[keyIn(self, input)], gradOutput) and gradOutput:isFloatingPoint() and not tracked(gradOutput)
end

local SelectTable, parent = nn.declare {
  name = 'nn.SelectTable', takes = 'table',
  widens = false,
  compute = entryOf,
  forward = function(self, input)
    self.output = self:compute(input)
    return self.output
  end,
  -- A copy of gradOutput at the selected key, zeros at the others.
  backward = function(self, input, gradOutput)
    if not isPlain(self, input, gradOutput) then return run.backward(self, input, gradOutput, true) end
    local held, selected = nested.isPlain(self.gradInput) and self.gradInput or {}, keyIn(self, input)
    for key, element in pairs(input) do
      if key == selected then
        held[key] = nestedCopy(held[key], gradOutput, gradOutput)
      else
        held[key] = nestedZeros(held[key], element, gradOutput)
      end
    end
    self.gradInput = nested.trim(held, input)
    return self.gradInput
  end,
  prints = function(self) return ('(%s)'):format(self.index) end,
  samples = { { 'SelectTable(-1)', { { 3 }, { 2, 2 } } } },
}

--- @param index position (negative counts from the end), or any other key
function SelectTable:__init(index)
  parent.__init(self)
  self.index = index
  self.gradInput = {}
end

--- Releases the output without changing it, because another module owns it, and releases gradInput.
function SelectTable:clearState()
  self.output = torch.Tensor():type(self:type())
  return parent.clearState(self)
end

return SelectTable
