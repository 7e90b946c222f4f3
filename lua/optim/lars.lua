--- LARS: momentum with a rate for each parameter tensor, proportional to the ratio of the norms of its weights and gradient, for large
-- batches. v = momentum v + learningRate trustCoefficient |x| / (|g| + weightDecay |x| + epsilon) (g + weightDecay x); x = x - v. The rate
-- is learningRate for a tensor of zeros, or with a gradient of zeros.
-- Source: You, Gitman & Ginsburg (2017), "Large Batch Training of Convolutional Networks", arXiv:1708.03888, algorithm 1.
-- Options: `learningRate` (0.1), `momentum` (0.9), `weightDecay` (0), `trustCoefficient` (1e-3), `epsilon` (0). state: `evalCounter`, `v`.
-- @module optim.lars
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.lars', class = 'LARS', counter = 'evalCounter', buffers = { 'v' }, decay = 'own',
  defaults = { learningRate = 0.1, momentum = 0.9, weightDecay = 0, trustCoefficient = 1e-3, epsilon = 0 },
  rate = function(options) return options.learningRate end,
  step = function(x, gradient, rate, options, v)
    local weights, slope, decay = torch.norm(x), torch.norm(gradient), options.weightDecay
    if weights > 0 and slope > 0 then
      rate = rate * options.trustCoefficient * weights / (slope + decay * weights + options.epsilon)
    end
    v:mul(options.momentum):add(rate, gradient)
    if decay ~= 0 then v:add(rate * decay, x) end
    x:add(-1, v)
  end,
}
