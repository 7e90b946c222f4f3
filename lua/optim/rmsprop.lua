--- RMSprop: steps proportional to the gradient divided by the root of its running mean square.
-- m = alpha m + (1 - alpha) g^2; x = x - learningRate g / (sqrt(m) + epsilon). With `centered`, the running mean of g is squared and
-- subtracted from m below the root; with `momentum`, buffer = momentum buffer + the quotient, and x = x - learningRate buffer.
-- Source: Tieleman & Hinton (2012), "Neural Networks for Machine Learning", lecture 6.5; Graves (2013), "Generating Sequences With
-- Recurrent Neural Networks", arXiv:1308.0850, section 4.2, for the centered form.
-- Options: `learningRate` (1e-2), `alpha` (0.99), `epsilon` (1e-8), `weightDecay` (0), `momentum` (0), `centered` (false), `initialMean`
-- (0): the start value of m. state: `m`, `tmp`, `evalCounter`, `mean`, `buffer`.
-- @module optim.rmsprop
local torch = require 'torch'

local function zeros(x) return x.new():resizeAs(x):zero() end

return require 'optim.algorithm' {
  name = 'optim.rmsprop', class = 'RMSprop', counter = 'evalCounter', buffers = { 'm', 'tmp', 'mean', 'buffer' }, scratch = { 'tmp' },
  defaults = { learningRate = 1e-2, alpha = 0.99, epsilon = 1e-8, weightDecay = 0, momentum = 0, centered = false, initialMean = 0 },
  fill = { m = function(options) return options.initialMean end },
  create = {
    mean = function(x, options) return options.centered and zeros(x) end,
    buffer = function(x, options) return options.momentum ~= 0 and zeros(x) end,
  },
  rate = function(options) return options.learningRate end,
  fields = function(options)
    local names = { 'm' }
    if options.centered then names[2] = 'mean' end
    if options.momentum ~= 0 then names[#names + 1] = 'buffer' end
    return names
  end,
  list = function(xs, gradients, states, rate, options, decay)
    local means = options.centered and states[2] or {}
    local buffers = options.momentum ~= 0 and states[#states] or {}
    torch.rmsprop_step(xs, gradients, states[1], means, buffers, rate, options.alpha, options.epsilon, decay, options.momentum,
      options.centered)
  end,
  step = function(x, gradient, rate, options, m, tmp, mean, buffer)
    local alpha = options.alpha
    m:mul(alpha):addcmul(1 - alpha, gradient, gradient)
    if mean then
      mean:mul(alpha):add(1 - alpha, gradient)
      torch.addcmul(tmp, m, -1, mean, mean):sqrt()
    else
      torch.sqrt(tmp, m)
    end
    tmp:add(options.epsilon)
    if buffer then
      x:add(-rate, buffer:mul(options.momentum):addcdiv(1, gradient, tmp))
    else
      x:addcdiv(-rate, gradient, tmp)
    end
  end,
}
