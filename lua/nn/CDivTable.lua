--- The quotient of two tensors, elementwise: {a, b} -> a ./ b. Further entries do not count.
-- @classmod nn.CDivTable
return (require 'nn'.declare {
  name = 'nn.CDivTable', takes = 'table',
  formula = require 'nn.support.fold'('cdiv', 2),
  samples = { { 'CDivTable()', { { 3, 2 }, { 3, 2 } } } },
})
