--- Adadelta: steps proportional to the gradient, scaled by the ratio of the recent sizes of steps and gradients; there is no learning rate.
-- v = rho v + (1 - rho) g^2; d = sqrt(a + eps) / sqrt(v + eps) g; x = x - d; a = rho a + (1 - rho) d^2.
-- Source: Zeiler (2012), "ADADELTA: An Adaptive Learning Rate Method", arXiv:1212.5701, algorithm 1.
-- config: `rho` (0.9), `eps` (1e-6), `weightDecay` (0). state: `evalCounter`, `paramVariance`, `paramStd`, `delta`, `accDelta`.
-- @module optim.adadelta
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.adadelta', counter = 'evalCounter', buffers = { 'paramVariance', 'paramStd', 'delta', 'accDelta' },
  greets = 'no state table, ADADELTA initializing',
  step = function(x, gradient, _, config, variance, deviation, delta, accumulated)
    local rho, eps = config.rho or 0.9, config.eps or 1e-6
    variance:mul(rho):addcmul(1 - rho, gradient, gradient)
    torch.add(deviation, variance, eps):sqrt()
    torch.add(delta, accumulated, eps):sqrt():cdiv(deviation):cmul(gradient)
    x:add(-1, delta)
    accumulated:mul(rho):addcmul(1 - rho, delta, delta)
  end,
}
