--- RAdam: Adam whose adaptive rates begin once enough squares have been averaged; before, the steps are those of momentum.
-- m and v as Adam's; r = 2 / (1 - beta2) - 1, r_t = r - 2 t beta2^t / (1 - beta2^t); if r_t > 5,
-- x = x - learningRate m / (1 - beta1^t) sqrt((r_t - 4) (r_t - 2) r / ((r - 4) (r - 2) r_t)) sqrt(1 - beta2^t) / (sqrt(v) + epsilon), else
-- x = x - learningRate m / (1 - beta1^t).
-- Source: Liu et al. (2020), "On the Variance of the Adaptive Learning Rate and Beyond", ICLR, algorithm 2.
-- Options: `learningRate` (1e-3), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-8), `weightDecay` (0), `decoupledWeightDecay` (false):
-- decay as AdamW. state: `t`, `m`, `v`, `tmp`.
-- @module optim.radam
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.radam', class = 'RAdam', counter = 't', buffers = { 'm', 'v', 'tmp' }, scratch = { 'tmp' },
  defaults = { learningRate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decoupledWeightDecay = false },
  rate = function(options, state)
    local t, beta2 = state.t + 1, options.beta2
    local correction, limit = 1 - beta2 ^ t, 2 / (1 - beta2) - 1
    local length = limit - 2 * t * beta2 ^ t / correction
    local rate = options.learningRate / (1 - options.beta1 ^ t)
    if length <= 5 then return { plain = rate } end
    local rectified = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
    return { adaptive = rate * math.sqrt(rectified * correction) }
  end,
  list = function(xs, gradients, states, rates, options, decay, scale)
    torch.radam_step(xs, gradients, states[1], states[2], rates.plain or rates.adaptive, rates.adaptive ~= nil, options.beta1,
      options.beta2, options.epsilon, decay, scale)
  end,
  step = function(x, gradient, rates, options, m, v, tmp)
    m:mul(options.beta1):add(1 - options.beta1, gradient)
    v:mul(options.beta2):addcmul(1 - options.beta2, gradient, gradient)
    if rates.plain then
      x:add(-rates.plain, m)
    else
      x:addcdiv(-rates.adaptive, m, torch.sqrt(tmp, v):add(options.epsilon))
    end
  end,
}
