--- Adds a learnt tensor: `nn.CAdd(size1, size2, ...)` or `nn.CAdd(LongStorage)`.
-- Shapes: x of that size; of as many dimensions, where those of size 1 broadcast; or (N, any sizes with as many elements).
-- @classmod nn.CAdd
return require 'nn.support.componentwise'('nn.CAdd', 'bias', 'add', {
  { 'CAdd(3)', { 4, 3 }, rows = true }, { 'CAdd(1, 3, 1)', { 2, 3, 2 } },
})
