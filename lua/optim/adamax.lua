--- Adamax: Adam with an exponentially decaying maximum of the gradient's magnitude instead of the mean of squares.
-- u = max(beta2 u, |g| + epsilon); m = beta1 m + (1 - beta1) g; x = x - learningRate / (1 - beta1^t) m / u.
-- Source: Kingma & Ba (2015), "Adam: A Method for Stochastic Optimization", ICLR, algorithm 2.
-- Options: `learningRate` (2e-3), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-38; optim.Adamax: 1e-8), `weightDecay` (0). state: `t`,
-- `m`, `u`, `max`.
-- @module optim.adamax
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.adamax', class = 'Adamax', counter = 't', buffers = { 'm', 'u', 'max' }, scratch = { 'max' },
  defaults = { learningRate = 2e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-38, weightDecay = 0 },
  classDefaults = { epsilon = 1e-8 },
  rate = function(options, state) return options.learningRate / (1 - options.beta1 ^ (state.t + 1)) end,
  list = function(xs, gradients, states, rate, options, decay)
    torch.adamax_step(xs, gradients, states[1], states[2], rate, options.beta1, options.beta2, options.epsilon, decay)
  end,
  step = function(x, gradient, rate, options, m, u, max)
    m:mul(options.beta1):add(1 - options.beta1, gradient)
    torch.abs(max, gradient):add(options.epsilon)
    torch.cmax(u, u:mul(options.beta2), max)
    x:addcdiv(-rate, m, u)
  end,
}
