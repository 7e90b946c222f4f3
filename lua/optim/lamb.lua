--- LAMB: Adam's direction with a step whose length is proportional to that of each parameter tensor, for large batches.
-- r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weightDecay x; x = x - learningRate |x| / |r| r; the ratio is 1 if a norm
-- is 0.
-- Source: You et al. (2020), "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR, algorithm 2.
-- Options: `learningRate` (1e-3), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-6), `weightDecay` (0). state: `t`, `m`, `v`, `tmp`.
-- @module optim.lamb
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.lamb', class = 'LAMB', counter = 't', buffers = { 'm', 'v', 'tmp' }, scratch = { 'tmp' }, decay = 'own',
  defaults = { learningRate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, weightDecay = 0 },
  rate = function(options, state)
    local t = state.t + 1
    return { learning = options.learningRate, mean = 1 - options.beta1 ^ t, square = 1 - options.beta2 ^ t }
  end,
  step = function(x, gradient, rates, options, m, v, tmp)
    m:mul(options.beta1):add(1 - options.beta1, gradient)
    v:mul(options.beta2):addcmul(1 - options.beta2, gradient, gradient)
    torch.div(tmp, v, rates.square):sqrt():add(options.epsilon)
    torch.cdiv(tmp, m, tmp):div(rates.mean)
    if options.weightDecay ~= 0 then tmp:add(options.weightDecay, x) end
    local weights, direction = torch.norm(x), torch.norm(tmp)
    local trust = weights > 0 and direction > 0 and weights / direction or 1
    x:add(-rates.learning * trust, tmp)
  end,
}
