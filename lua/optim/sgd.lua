--- Stochastic gradient descent with momentum.
-- g = gradient + weightDecay x; with momentum, buffer = g at first, then momentum buffer + (1 - dampening) g, and g = buffer, or
-- g + momentum buffer with `nesterov`; x = x - learningRate / (1 + evalCounter learningRateDecay) g.
-- Options of optim.SGD: `learningRate` (1e-3), `learningRateDecay` (0), `weightDecay` (0), `momentum` (0), `dampening` (0), `nesterov`
-- (false). State: `evalCounter`, `dfdx`.
-- @module optim.sgd
local torch, check = require 'torch', require 'torch.check'
local noGrad = require('autograd.mode').noGrad
local lists, begin, masters, rules = require 'optim.lists', require 'optim.begin', require 'optim.masters', require 'optim.rules'

-- Torch7's options with a value per element: vectors, for one tensor.
local function decayEach(x, gradient, config, state)
  state.decayParameters = state.decayParameters or x.new():resizeAs(x)
  gradient:add(state.decayParameters:copy(config.weightDecays):cmul(x))
end

local function stepEach(x, gradient, rate, config, state)
  state.deltaParameters = state.deltaParameters or x.new():resizeAs(gradient)
  x:add(-rate, state.deltaParameters:copy(config.learningRates):cmul(gradient))
end

-- Runs one step with a given gradient, without recording.
local function step(x, gradient, config, state)
  local momentum, weightDecay = config.momentum or 0, config.weightDecay or 0
  local dampening = config.dampening or momentum
  local parameters, gradients = lists.of(x), lists.of(gradient)
  local rate = (config.learningRate or 1e-3) / (1 + state.evalCounter * (config.learningRateDecay or 0))
  if weightDecay == 0 and config.weightDecays then decayEach(x, gradient, config, state) end

  local first = momentum ~= 0 and not state.dfdx
  if first then state.dfdx = lists.like(gradient) end
  local buffers = momentum ~= 0 and lists.of(state.dfdx) or {}
  local each = config.learningRates
  torch.sgd_step(parameters, gradients, buffers, each and 0 or rate, momentum, first and 0 or dampening, weightDecay,
    config.nesterov or false)
  if each then
    local direction = momentum == 0 and gradient or state.dfdx
    if config.nesterov then direction = torch.add(gradient, momentum, state.dfdx) end
    stepEach(x, direction, rate, config, state)
  end
end

local none, buffer = {}, { 'dfdx' }
local nesterovNeeds = 'Nesterov momentum requires a momentum and zero dampening'

-- The class: dampening is 0 unless it is set.
rules.declare('SGD', {
  module = 'optim.sgd', counter = 'evalCounter',
  defaults = { learningRate = 1e-3, learningRateDecay = 0, weightDecay = 0, momentum = 0, dampening = 0, nesterov = false },
  verify = function(where, options)
    if options.nesterov and (options.momentum == 0 or options.dampening ~= 0) then check.raise(where .. ': config: ' .. nesterovNeeds) end
  end,
  key = function(state) return state.dfdx and state.evalCounter or -1 - state.evalCounter end,
  takesRows = function(options) return options.momentum == 0 end,
  fields = function(options) return options.momentum == 0 and none or buffer end,
  launch = function(xs, gradients, states, options, state, isFirst)
    torch.sgd_step(xs, gradients, states[1] or none, options.learningRate / (1 + state.evalCounter * options.learningRateDecay),
      options.momentum, isFirst and 0 or options.dampening, options.weightDecay, options.nesterov)
  end,
})

--- One step of stochastic gradient descent.
-- g = df/dx + weightDecay x; with momentum, buffer = g at first, then momentum buffer + (1 - dampening) g, and g = buffer, or
-- g + momentum buffer with `nesterov`; x = x - learningRate / (1 + evalCounter learningRateDecay) g.
-- Source: Sutskever et al. (2013), "On the importance of initialization and momentum in deep learning", ICML, for Nesterov's form.
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor|{torch.Tensor,...} x changed in place
-- @tparam[opt] table config `learningRate` (1e-3), `learningRateDecay` (0), `weightDecay` (0), `momentum` (0), `dampening` (the
--   momentum; optim.SGD: 0), `nesterov` (false); for one tensor also the vectors `weightDecays` (instead of
--   weightDecay) and `learningRates`, factors of the rate
-- @tparam[opt=config] table state has `evalCounter` and the buffer `dfdx`
-- @return x
-- @treturn {number} the loss before the step
-- @raise if nesterov is set without momentum or with dampening
return function(opfunc, x, config, state)
  if masters.wanted(x, config) then return masters.step('optim.sgd', opfunc, x, config, state) end
  config, state = begin.call('optim.sgd', config, state, 'evalCounter')
  local momentum = config.momentum or 0
  local undamped = (config.dampening or momentum) == 0
  assert(not config.nesterov or (momentum > 0 and undamped), 'optim.sgd: config: ' .. nesterovNeeds)
  local loss, gradient = lists.evaluate('optim.sgd', opfunc, x)
  noGrad(step, x, gradient, config, state)
  state.evalCounter = state.evalCounter + 1
  return x, { loss }
end
