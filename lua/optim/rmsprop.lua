--- RMSprop: steps proportional to the gradient divided by the root of its running mean square.
-- m = alpha m + (1 - alpha) g^2; x = x - learningRate g / (sqrt(m) + epsilon).
-- Source: Tieleman & Hinton (2012), "Neural Networks for Machine Learning", lecture 6.5.
-- config: `learningRate` (1e-2), `alpha` (0.99), `epsilon` (1e-8), `weightDecay` (0), `initialMean` (0): the start value of m.
-- state: `m`, `tmp`, `evalCounter`.
-- @module optim.rmsprop
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.rmsprop', counter = 'evalCounter', buffers = { 'm', 'tmp' },
  fill = { m = function(config) return config.initialMean or 0 end },
  rate = function(config) return config.learningRate or 1e-2 end,
  step = function(x, gradient, rate, config, m, tmp)
    local alpha = config.alpha or 0.99
    m:mul(alpha):addcmul(1 - alpha, gradient, gradient)
    x:addcdiv(-rate, gradient, torch.sqrt(tmp, m):add(config.epsilon or 1e-8))
  end,
}
