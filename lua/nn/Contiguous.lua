--- A contiguous copy of what isn't contiguous.
-- @classmod nn.Contiguous
local torch = require 'torch'

return require 'nn.support.reshaping'((require 'nn'.declare {
  name = 'nn.Contiguous',
  compute = function(_, input) return torch.contiguous(input) end,
  samples = { { 'Contiguous()', { 3, 4 }, rows = true } },
}))
