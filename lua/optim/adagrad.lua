--- Adagrad: rates that decrease with the sum of each element's squared gradients.
-- v = v + g^2; x = x - learningRate / (1 + evalCounter learningRateDecay) g / (sqrt(v) + 1e-10).
-- Source: Duchi, Hazan & Singer (2011), "Adaptive Subgradient Methods", JMLR 12, section 1.1.
-- config: `learningRate` (1e-3), `learningRateDecay` (0), `weightDecay` (0). state: `evalCounter`, `paramVariance`, `paramStd`.
-- @module optim.adagrad
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.adagrad', counter = 'evalCounter', buffers = { 'paramVariance', 'paramStd' },
  greets = 'no state table, ADAGRAD initializing',
  rate = function(config, state) return (config.learningRate or 1e-3) / (1 + state.evalCounter * (config.learningRateDecay or 0)) end,
  step = function(x, gradient, rate, _, variance, deviation)
    variance:addcmul(1, gradient, gradient)
    x:addcdiv(-rate, gradient, torch.sqrt(deviation, variance):add(1e-10))
  end,
}
