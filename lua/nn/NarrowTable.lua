--- Consecutive entries of a table, as a table, without copies.
-- @classmod nn.NarrowTable
local check, C = require 'torch.check', require 'libmoontorch'
local nn, explain = require 'nn', require 'nn.support.explain'
local nestedZeros = C.nestedZeros

-- Removes all but the first entries of a list.
local function cutOff(list, count)
  for i = #list, count + 1, -1 do list[i] = nil end
  return list
end

local function listFrom(held)
  return type(held) == 'table' and getmetatable(held) == nil and held or {}
end

-- Returns the number of entries: `length` may exceed it.
local function countOf(self, input) return math.min(self.length, #input - self.offset + 1) end

-- The zeros of each module's last gradInput, by position. Entries of gradInput itself may be a program's.
local zeros = setmetatable({}, { __mode = 'k' })

local NarrowTable, parent = nn.declare {
  name = 'nn.NarrowTable', takes = 'table',
  widens = false,
  compute = function(self, input)
    local entries = {}
    explain.input(self, input)
    for i = 1, countOf(self, input) do entries[i] = input[self.offset + i - 1] end
    return entries
  end,
  forward = function(self, input)
    local output, first = listFrom(self.output), self.offset
    if type(input) ~= 'table' or input[first] == nil then explain.input(self, input) end
    local length = countOf(self, input)
    for i = 1, length do output[i] = input[first + i - 1] end
    self.output = cutOff(output, length)
    return output
  end,
  -- The entries of gradOutput at their positions, without copies, and zeros at the others.
  backward = function(self, input, gradOutput)
    explain.gradient(self, gradOutput, self.output)
    local gradInput, held, first, length = listFrom(self.gradInput), zeros[self], self.offset, self.length
    if gradInput == gradOutput then gradInput = {} end
    if not held then
      held = {}
      zeros[self] = held
    end
    local count = #input
    for i = 1, count do
      local isInside = i >= first and i < first + length
      local g = isInside and gradOutput[i - first + 1]
      if not g then
        g = nestedZeros(held[i], input[i], gradOutput)
        held[i] = g
      end
      gradInput[i] = g
    end
    self.gradInput = cutOff(gradInput, count)
    return gradInput
  end,
  samples = { { 'NarrowTable(2, 2)', { { 3 }, { 2 }, { 4 } } } },
}

--- @tparam int offset position of the first entry
-- @tparam[opt=1] int length number of entries
function NarrowTable:__init(offset, length)
  if not offset then check.raise 'nn.NarrowTable(offset, length)' end
  parent.__init(self)
  self.offset, self.length = offset, length or 1
  self.output, self.gradInput = {}, {}
end

return NarrowTable
