--- The difference of two tensors: {a, b} -> a - b. Further entries are ignored.
-- Shapes: two with equal numbers of elements -> the first's size.
-- @classmod nn.CSubTable
local difference, otherwise = require 'nn.support.fold'('csub', 2)

return (require 'nn'.declare {
  name = 'nn.CSubTable', takes = 'table',
  formula = difference, otherwise = otherwise,
  samples = { { 'CSubTable()', { { 3, 2 }, { 3, 2 } } } },
})
