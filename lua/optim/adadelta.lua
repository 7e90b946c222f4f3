--- Adadelta: steps proportional to the gradient, scaled by the ratio of the recent sizes of steps and gradients; the rate is usually 1.
-- v = rho v + (1 - rho) g^2; d = sqrt(a + eps) / sqrt(v + eps) g; x = x - learningRate d; a = rho a + (1 - rho) d^2.
-- Source: Zeiler (2012), "ADADELTA: An Adaptive Learning Rate Method", arXiv:1212.5701, algorithm 1.
-- Options: `rho` (0.9), `eps` (1e-6), `weightDecay` (0); optim.Adadelta also has `learningRate` (1).
-- state: `evalCounter`, `paramVariance`, `paramStd`, `delta`, `accDelta`.
-- @module optim.adadelta
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.adadelta', class = 'Adadelta', counter = 'evalCounter', buffers = { 'paramVariance', 'paramStd', 'delta', 'accDelta' },
  scratch = { 'paramStd', 'delta' }, greets = 'no state table, ADADELTA initializing',
  defaults = { rho = 0.9, eps = 1e-6, weightDecay = 0 },
  classDefaults = { learningRate = 1 },
  list = function(xs, gradients, states, _, options, decay)
    torch.adadelta_step(xs, gradients, states[1], states[2], options.learningRate, options.rho, options.eps, decay)
  end,
  step = function(x, gradient, _, options, variance, deviation, delta, accumulated)
    local rho, eps = options.rho, options.eps
    variance:mul(rho):addcmul(1 - rho, gradient, gradient)
    torch.add(deviation, variance, eps):sqrt()
    torch.add(delta, accumulated, eps):sqrt():cdiv(deviation):cmul(gradient)
    x:add(-(options.learningRate or 1), delta)                     -- Torch7's function ignores a rate
    accumulated:mul(rho):addcmul(1 - rho, delta, delta)
  end,
}
