--- Adamax: Adam with an exponentially decaying maximum of the gradient's magnitude instead of the mean of squares.
-- u = max(beta2 u, |g| + epsilon); m = beta1 m + (1 - beta1) g; x = x - learningRate / (1 - beta1^t) m / u.
-- Source: Kingma & Ba (2015), "Adam: A Method for Stochastic Optimization", ICLR, algorithm 2.
-- config: `learningRate` (2e-3), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-38), `weightDecay` (0). state: `t`, `m`, `u`, `max`.
-- @module optim.adamax
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.adamax', counter = 't', buffers = { 'm', 'u', 'max' },
  rate = function(config, state) return (config.learningRate or 0.002) / (1 - (config.beta1 or 0.9) ^ (state.t + 1)) end,
  step = function(x, gradient, rate, config, m, u, max)
    local beta1 = config.beta1 or 0.9
    m:mul(beta1):add(1 - beta1, gradient)
    torch.abs(max, gradient):add(config.epsilon or 1e-38)
    torch.cmax(u, u:mul(config.beta2 or 0.999), max)
    x:addcdiv(-rate, m, u)
  end,
}
