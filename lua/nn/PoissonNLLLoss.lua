--- Negative log-likelihood of counts from Poisson distributions with means exp(input).
-- @classmod nn.PoissonNLLLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=true] boolean logInput false for inputs that are the means
-- @tparam[opt=false] boolean full adds Stirling's approximation of log(target!)
-- @tparam[opt=1e-8] number eps added to means before their logarithm
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local PoissonNLLLoss = nn.declare(loss {
  name = 'nn.PoissonNLLLoss', call = 'poissonNllLoss',
  samples = {
    { 'PoissonNLLLoss()', { 2, 3 }, 'torch.DoubleTensor { { 0, 3, 1 }, { 5, 2, 0 } }' },
    { 'PoissonNLLLoss(false, true)', { 2, 3 }, 'torch.DoubleTensor { { 0, 3, 1 }, { 5, 2, 0 } }', unit = true },
  },
})
PoissonNLLLoss.__givesWay = true

return PoissonNLLLoss
