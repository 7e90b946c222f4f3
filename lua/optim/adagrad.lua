--- Adagrad: rates that decrease with the sum of each element's squared gradients.
-- v = v + g^2; x = x - learningRate / (1 + evalCounter learningRateDecay) g / (sqrt(v) + epsilon).
-- Source: Duchi, Hazan & Singer (2011), "Adaptive Subgradient Methods", JMLR 12, section 1.1.
-- Options: `learningRate` (1e-3; optim.Adagrad: 1e-2), `learningRateDecay` (0), `weightDecay` (0), `initialAccumulator` (0): the start
-- value of v; `epsilon` (1e-10). state: `evalCounter`, `paramVariance`, `paramStd`.
-- @module optim.adagrad
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.adagrad', class = 'Adagrad', counter = 'evalCounter', buffers = { 'paramVariance', 'paramStd' }, scratch = { 'paramStd' },
  greets = 'no state table, ADAGRAD initializing',
  defaults = { learningRate = 1e-3, learningRateDecay = 0, weightDecay = 0, initialAccumulator = 0, epsilon = 1e-10 },
  classDefaults = { learningRate = 1e-2 },
  fill = { paramVariance = function(options) return options.initialAccumulator end },
  rate = function(options, state) return options.learningRate / (1 + state.evalCounter * options.learningRateDecay) end,
  takesRows = function() return true end,
  list = function(xs, gradients, states, rate, options, decay)
    torch.adagrad_step(xs, gradients, states[1], rate, options.epsilon, decay)
  end,
  step = function(x, gradient, rate, options, variance, deviation)
    variance:addcmul(1, gradient, gradient)
    x:addcdiv(-rate, gradient, torch.sqrt(deviation, variance):add(options.epsilon))
  end,
}
