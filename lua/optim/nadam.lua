--- NAdam: Adam with Nesterov's momentum.
-- m and v as Adam's; mu_t = beta1 (1 - 0.96^(t momentumDecay) / 2), p_t = mu_1 ... mu_t, d = sqrt(v / (1 - beta2^t)) + epsilon;
-- x = x - learningRate ((1 - mu_t) / (1 - p_t) g + mu_(t+1) / (1 - p_(t+1)) m) / d.
-- Source: Dozat (2016), "Incorporating Nesterov Momentum into Adam", ICLR workshop, algorithm 2.
-- Options: `learningRate` (2e-3), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-8), `weightDecay` (0), `momentumDecay` (4e-3),
-- `decoupledWeightDecay` (false): decay as AdamW. state: `t`, `m`, `v`, `tmp`, `muProduct`.
-- @module optim.nadam
local torch = require 'torch'

return require 'optim.algorithm' {
  name = 'optim.nadam', class = 'NAdam', counter = 't', buffers = { 'm', 'v', 'tmp' }, scratch = { 'tmp' }, scalars = { muProduct = 1 },
  defaults = {
    learningRate = 2e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, momentumDecay = 4e-3, decoupledWeightDecay = false,
  },
  rate = function(options, state)
    local t = state.t + 1
    local function mu(at) return options.beta1 * (1 - 0.5 * 0.96 ^ (at * options.momentumDecay)) end
    local now, following = mu(t), mu(t + 1)
    state.muProduct = state.muProduct * now
    local rate = options.learningRate
    return { gradient = rate * (1 - now) / (1 - state.muProduct), mean = rate * following / (1 - state.muProduct * following),
      correction = 1 - options.beta2 ^ t }
  end,
  list = function(xs, gradients, states, rates, options, decay, scale)
    torch.nadam_step(xs, gradients, states[1], states[2], rates.gradient, rates.mean, rates.correction, options.beta1, options.beta2,
      options.epsilon, decay, scale)
  end,
  step = function(x, gradient, rates, options, m, v, tmp)
    m:mul(options.beta1):add(1 - options.beta1, gradient)
    v:mul(options.beta2):addcmul(1 - options.beta2, gradient, gradient)
    torch.div(tmp, v, rates.correction):sqrt():add(options.epsilon)
    x:addcdiv(-rates.gradient, gradient, tmp):addcdiv(-rates.mean, m, tmp)
  end,
}
