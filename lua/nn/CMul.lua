--- Multiplies by a learnt tensor, elementwise: `nn.CMul(size1, size2, ...)` or `nn.CMul(LongStorage)`.
-- Shapes: x of that size; of as many dimensions, where those of size 1 broadcast; or (N, any sizes with as many elements).
-- @classmod nn.CMul
return require 'nn.support.componentwise'('nn.CMul', 'weight', 'cmul', {
  { 'CMul(3)', { 4, 3 }, rows = true }, { 'CMul(1, 3, 1)', { 2, 3, 2 } },
})
