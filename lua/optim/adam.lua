--- Adam: steps scaled by running means of the gradient and of its square.
-- g = gradient + weightDecay x; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
-- x = x - learningRate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon). With `amsgrad`, the largest v so far takes v's place.
-- Options of optim.Adam: `learningRate` (1e-3), `learningRateDecay` (0), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-8), `weightDecay`
-- (0), `amsgrad` (false). State: `t`, `m`, `v`, `largest`.
-- @module optim.adam
local torch = require 'torch'
local noGrad = require('autograd.mode').noGrad
local lists, begin, masters, rules = require 'optim.lists', require 'optim.begin', require 'optim.masters', require 'optim.rules'

-- Runs one step with a given gradient, without recording.
local function step(x, gradient, config, state)
  local beta1, beta2 = config.beta1 or 0.9, config.beta2 or 0.999
  local parameters, gradients = lists.of(x), lists.of(gradient)
  state.m = state.m or lists.like(gradient)
  state.v = state.v or lists.like(gradient)
  local t = state.t + 1
  local rate = (config.learningRate or 1e-3) / (1 + state.t * (config.learningRateDecay or 0))
  torch.adam_step(parameters, gradients, lists.of(state.m), lists.of(state.v), rate * math.sqrt(1 - beta2 ^ t) / (1 - beta1 ^ t), beta1,
    beta2, config.epsilon or 1e-8, config.weightDecay or 0)
  state.t = t
end

local usual, withLargest = { 'm', 'v' }, { 'm', 'v', 'largest' }
local function fields(options) return options.amsgrad and withLargest or usual end

-- Returns the steps of Adam's class or of AdamW's.
local function launch(isDecoupled)
  return function(xs, gradients, states, options, state)
    local count, beta1, beta2 = state.t, options.beta1, options.beta2
    local t, rate = count + 1, options.learningRate / (1 + count * options.learningRateDecay)
    -- PyTorch adds epsilon after the correction of the mean square.
    local root = math.sqrt(1 - beta2 ^ t)
    local corrected, epsilon = rate * root / (1 - beta1 ^ t), options.epsilon * root
    local decay, scale = options.weightDecay, 1
    if isDecoupled then decay, scale = 0, 1 - rate * decay end
    if options.amsgrad then
      torch.amsgrad_step(xs, gradients, states[1], states[2], states[3], corrected, beta1, beta2, epsilon, decay, scale)
    else
      torch.adam_step(xs, gradients, states[1], states[2], corrected, beta1, beta2, epsilon, decay, scale)
    end
  end
end

for name, decay in pairs { Adam = 0, AdamW = 1e-2 } do
  rules.declare(name, {
    module = 'optim.' .. name:lower(), counter = 't', fields = fields, launch = launch(name == 'AdamW'),
    defaults = {
      learningRate = 1e-3, learningRateDecay = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = decay, amsgrad = false,
    },
  })
end

--- One step of Adam.
-- g = df/dx + weightDecay x; t = t + 1; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
-- x = x - learningRate / (1 + (t - 1) learningRateDecay) sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon).
-- Source: Kingma & Ba (2015), "Adam: A Method for Stochastic Optimization", ICLR, end of section 2.
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor|{torch.Tensor,...} x changed in place
-- @tparam[opt] table config `learningRate` (1e-3), `learningRateDecay` (0), `beta1` (0.9), `beta2` (0.999), `epsilon` (1e-8),
--   `weightDecay` (0)
-- optim.Adam adds epsilon after the correction of v, and has the option `amsgrad`: the largest v so far instead of v.
-- @tparam[opt=config] table state has `t`, `m`, `v`
-- @return x
-- @treturn {number} the loss before the step
return function(opfunc, x, config, state)
  if masters.wanted(x, config) then return masters.step('optim.adam', opfunc, x, config, state) end
  config, state = begin.call('optim.adam', config, state, 't')
  local loss, gradient = lists.evaluate('optim.adam', opfunc, x)
  noGrad(step, x, gradient, config, state)
  return x, { loss }
end
