--- Copies inputs that aren't contiguous.
-- @classmod nn.Contiguous
return (require 'nn'.declare {
  name = 'nn.Contiguous', shows = true,
  values = { 'sizes' },
  formula = require 'nn.support.reshaping'(function(_, input) return input:size() end),
  samples = { { 'Contiguous()', { 3, 4 }, rows = true } },
})
