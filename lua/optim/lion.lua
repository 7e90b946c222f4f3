--- Lion: steps of constant size, by the sign of an average of the gradient and its running mean.
-- x = x - learningRate (sign(beta1 m + (1 - beta1) g) + weightDecay x); m = beta2 m + (1 - beta2) g.
-- Source: Chen et al. (2023), "Symbolic Discovery of Optimization Algorithms", NeurIPS, algorithm 2.
-- Options: `learningRate` (1e-4), `beta1` (0.9), `beta2` (0.99), `weightDecay` (0). state: `evalCounter`, `m`, `tmp`.
-- @module optim.lion
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.lion', class = 'Lion', counter = 'evalCounter', buffers = { 'm', 'tmp' }, scratch = { 'tmp' }, decay = 'decoupled',
  defaults = { learningRate = 1e-4, beta1 = 0.9, beta2 = 0.99, weightDecay = 0 },
  rate = function(options) return options.learningRate end,
  list = function(xs, gradients, states, rate, options, _, scale)
    torch.lion_step(xs, gradients, states[1], rate, options.beta1, options.beta2, scale)
  end,
  step = function(x, gradient, rate, options, m, tmp)
    x:add(-rate, torch.mul(tmp, m, options.beta1):add(1 - options.beta1, gradient):sign())
    m:mul(options.beta2):add(1 - options.beta2, gradient)
  end,
}
