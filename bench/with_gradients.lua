--- Returns a function that runs f() and its backward pass with a fixed gradient in the result's layout; old gradients are dropped first.
local torch = require 'torch'

return function(f, leaves)
  for i = 1, #leaves do leaves[i]:requiresGrad() end
  local g = torch.noGrad(function()
    local y = f()
    if type(y) == 'number' then return nil end
    local noise = torch.randn(y:size())
    return y:isChannelsLast() and noise:channelsLast() or noise
  end)
  return function()
    for i = 1, #leaves do leaves[i].grad = nil end
    f():backward(g)
  end
end
