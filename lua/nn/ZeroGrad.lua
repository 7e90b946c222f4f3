--- Returns its input; the gradient by the input is 0.
-- @classmod nn.ZeroGrad
local nested = require 'nn.nested'

return (require 'nn'.declare {
  name = 'nn.ZeroGrad',
  widens = false,
  compute = function(_, input)
    return nested.map(input, function(x) return x:detach() end)
  end,
})
