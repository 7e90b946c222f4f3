--- Columns of a batch with complete sequences one after another: the current sequence and step of each column.
-- @module dataload.columns
local torch = require 'torch'

local Columns = {}
Columns.__index = Columns

--- @int count number of columns
-- @int total number of sequences
function Columns.new(count, total)
  local self = setmetatable({ count = count, total = total, last = 0, sequence = {}, step = {} }, Columns)
  for column = 1, count do self.sequence[column], self.step[column] = 0, 0 end
  return self
end

--- Advances a column to the separator before a sequence, or to a step.
-- @int column
-- @tparam function lengthOf returns the number of steps with a target in a sequence, by its number
-- @bool random whether the next sequence is random
-- @treturn int the sequence
-- @treturn int the step, 0 for the separator
function Columns:advance(column, lengthOf, random)
  local sequence, step = self.sequence[column], self.step[column] + 1
  if sequence == 0 or step > lengthOf(sequence) then
    self.last = random and torch.random(1, self.total) or self.last % self.total + 1
    sequence, step = self.last, 0
  end
  self.sequence[column], self.step[column] = sequence, step
  return sequence, step
end

return Columns
