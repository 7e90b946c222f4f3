--- The quotient of two tensors, elementwise: {a, b} -> a ./ b. Further entries are ignored.
-- Shapes: two with equal numbers of elements -> the first's size.
-- @classmod nn.CDivTable
local quotient, otherwise = require 'nn.support.fold'('cdiv', 2)

return (require 'nn'.declare {
  name = 'nn.CDivTable', takes = 'table',
  formula = quotient, otherwise = otherwise,
  samples = { { 'CDivTable()', { { 3, 2 }, { 3, 2 } } } },
})
