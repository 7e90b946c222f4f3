--- Averaged stochastic gradient descent.
-- x = (1 - lambda eta) x - eta g, where eta = learningRate / (1 + lambda learningRate t)^alpha; from step t0 on, `ax` is the mean of x.
-- Options of optim.ASGD: `learningRate` (1e-2), `lambda` (1e-4), `alpha` (0.75), `t0` (1e6), `weightDecay` (0). State: `t`, `ax`.
-- Source: Xu (2011), "Towards Optimal One Pass Large Scale Learning with Averaged Stochastic Gradient Descent", arXiv:1107.2490;
-- Bottou (2010), "Large-Scale Machine Learning with Stochastic Gradient Descent".
-- @module optim.asgd
local torch = require 'torch'
local noGrad = require('autograd.mode').noGrad
local begin, masters, lists, rules = require 'optim.begin', require 'optim.masters', require 'optim.lists', require 'optim.rules'

-- The rate and the weight of x in the mean at step t, counted from 0.
local function rateAt(eta0, options, t) return eta0 / (1 + options.lambda * eta0 * t) ^ options.alpha, 1 / math.max(1, t - options.t0) end

local function step(x, gradient, config, state)
  state.ax = state.ax or x.new():resizeAs(x):zero()
  state.tmp = state.tmp or x.new():resizeAs(x)
  x:mul(1 - config.lambda * state.eta_t):add(-state.eta_t, gradient)
  if state.mu_t == 1 then
    state.ax:copy(x)
  else
    state.ax:add(state.mu_t, torch.csub(state.tmp, x, state.ax))
  end
  state.t = state.t + 1
  state.eta_t, state.mu_t = rateAt(config.eta0, config, state.t)
end

local fields = { 'ax' }

rules.declare('ASGD', {
  module = 'optim.asgd', counter = 't',
  defaults = { learningRate = 1e-2, lambda = 1e-4, alpha = 0.75, t0 = 1e6, weightDecay = 0 },
  fields = function() return fields end,
  launch = function(xs, gradients, states, options, state)
    local eta, mu = rateAt(options.learningRate, options, state.t)
    torch.asgd_step(xs, gradients, states[1], eta, 1 - options.lambda * eta, mu, options.weightDecay)
  end,
})

--- One step: x = (1 - lambda eta_t) x - eta_t g; state.ax is the mean of x from step t0 on.
-- eta_t = eta0 / (1 + lambda eta0 t)^alpha; mu_t = 1 / max(1, t - t0); mean += mu_t (x - mean).
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor x changed in place
-- @tparam[opt] table config `eta0` (1e-4), `lambda` (1e-4), `alpha` (0.75), `t0` (1e6); the defaults are written into it.
--   optim.ASGD has `learningRate` (1e-2) for `eta0`, and `weightDecay` (0)
-- @tparam[opt=config] table state has `eta_t`, `mu_t`, `t`, `ax`, `tmp`
-- @return x
-- @treturn {number} the loss before the step
-- @treturn torch.Tensor the mean, `state.ax`
return function(opfunc, x, config, state)
  if masters.wanted(x, config) then return masters.step('optim.asgd', opfunc, x, config, state) end
  config, state = begin.tables('optim.asgd', config, state)
  config.eta0, config.lambda = config.eta0 or 1e-4, config.lambda or 1e-4
  config.alpha, config.t0 = config.alpha or 0.75, config.t0 or 1e6
  state.eta_t, state.mu_t, state.t = state.eta_t or config.eta0, state.mu_t or 1, state.t or 0
  local loss, gradient = lists.evaluate('optim.asgd', opfunc, x)
  noGrad(step, x, gradient, config, state)
  return x, { loss }, state.ax
end
