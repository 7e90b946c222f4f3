--- The difference of two tensors: {a, b} -> a - b. Further entries do not count.
-- @classmod nn.CSubTable
return (require 'nn'.declare {
  name = 'nn.CSubTable', takes = 'table',
  formula = require 'nn.support.fold'('csub', 2),
  samples = { { 'CSubTable()', { { 3, 2 }, { 3, 2 } } } },
})
