--- Adam for gradients of rows, those of nn.Embedding with `sparse = true`: the means and the parameters of rows that were not used stay as
-- they are. For the others m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, x = x - learningRate sqrt(1 - beta2^t) /
-- (1 - beta1^t) m / (sqrt(v) + epsilon), where t counts all steps.
-- Options of optim.SparseAdam, which has no function: `learningRate` (1e-3), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-8). State: `t`,
-- `m`, `v`.
-- @module optim.sparseadam
local torch = require 'torch'
local rules = require 'optim.rules'

local fields = { 'm', 'v' }

rules.declare('SparseAdam', {
  module = 'optim.sparseadam', counter = 't', onlyRows = true,
  defaults = { learningRate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 },
  takesRows = function() return true end,
  fields = function() return fields end,
  launch = function(xs, gradients, states, options, state)
    local t = state.t + 1
    local rate = options.learningRate * math.sqrt(1 - options.beta2 ^ t) / (1 - options.beta1 ^ t)
    torch.adam_step(xs, gradients, states[1], states[2], rate, options.beta1, options.beta2, options.epsilon)
  end,
})

return true
