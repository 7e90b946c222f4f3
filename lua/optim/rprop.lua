--- Rprop: each element has a separate step size, which grows while its gradient keeps its sign and shrinks when the sign changes.
-- Options of optim.Rprop: `learningRate` (1e-2, the first step size), `etaplus` (1.2), `etaminus` (0.5), `stepsizemin` (1e-6),
-- `stepsizemax` (50). State: `evalCounter`, `delta`, `stepsize`, masks.
-- Source: Riedmiller & Braun (1993), "A direct adaptive method for faster backpropagation learning: the RPROP algorithm", ICNN; when a
-- sign changes, the element makes no step (Igel & Huesken, 2000: iRprop-).
-- @module optim.rprop
local torch = require 'torch'
local noGrad = require('autograd.mode').noGrad
local begin, masters, lists, rules = require 'optim.begin', require 'optim.masters', require 'optim.lists', require 'optim.rules'

-- Prepares the state's tensors. If state and config are one table, `stepsize` is a number at first.
local function prepare(x, gradient, config, state)
  if state.delta then return end
  local function fresh() return gradient.new():resizeAs(gradient):zero() end
  local start = type(config.stepsize) == 'number' and config.stepsize or 0.1
  state.delta, state.stepsize = fresh(), fresh():fill(start)
  state.sign = fresh()
  state.psign, state.nsign, state.zsign = torch.ByteTensor(x:size()), torch.ByteTensor(x:size()), torch.ByteTensor(x:size())
  state.dminmax = torch.ByteTensor(x:size())
end

local function step(x, gradient, config, state)
  prepare(x, gradient, config, state)
  local delta, stepsize, sign = state.delta, state.stepsize, state.sign
  local least, most = config.stepsizemin or 1e-06, config.stepsizemax or 50
  torch.sign(sign, torch.cmul(sign, gradient, delta))
  state.psign:copy(torch.gt(sign, 0))
  state.nsign:copy(torch.lt(sign, 0))
  state.zsign:copy(torch.eq(sign, 0))
  sign:maskedFill(state.psign, config.etaplus or 1.2)
  sign:maskedFill(state.nsign, config.etaminus or 0.5)
  sign:maskedFill(state.zsign, 1)
  stepsize:cmul(sign):clamp(least, most)
  gradient:maskedFill(state.nsign, 0)
  x:addcmul(-1, torch.sign(sign, gradient), stepsize)
  delta:copy(gradient)
end

local fields = { 'delta', 'stepsize' }

rules.declare('Rprop', {
  module = 'optim.rprop', counter = 'evalCounter',
  defaults = { learningRate = 1e-2, etaplus = 1.2, etaminus = 0.5, stepsizemin = 1e-6, stepsizemax = 50 },
  fields = function() return fields end,
  start = function(name, options) return name == 'stepsize' and options.learningRate or 0 end,
  launch = function(xs, gradients, states, options)
    torch.rprop_step(xs, gradients, states[1], states[2], options.etaplus, options.etaminus, options.stepsizemin, options.stepsizemax)
  end,
})

--- Runs iterations of Rprop.
-- Each one: s = sign(g .* previous g); step size *= etaplus, etaminus or 1 where s is above, below or at 0, clamped to its bounds; g = 0
-- where s is below 0; x = x - sign(g) .* step size.
-- @tparam function opfunc x -> loss, gradient; the gradient is changed
-- @tparam torch.Tensor x changed in place
-- @tparam[opt] table config `stepsize` (0.1, the first), `etaplus` (1.2), `etaminus` (0.5), `stepsizemax` (50), `stepsizemin` (1e-6),
--   `niter` (1, iterations per call). optim.Rprop has `learningRate` (1e-2) for the first step size
-- @tparam[opt=config] table state has `delta`, `stepsize`, `sign` and masks; if it is config, its `stepsize` becomes a tensor
-- @return x
-- @treturn {number,...} the loss before each iteration
return function(opfunc, x, config, state)
  if masters.wanted(x, config) then return masters.step('optim.rprop', opfunc, x, config, state) end
  if config == nil and state == nil then print 'no state table RPROP initializing' end
  config, state = begin.tables('optim.rprop', config, state)
  local losses = {}
  for i = 1, config.niter or 1 do
    local loss, gradient = lists.evaluate('optim.rprop', opfunc, x)
    losses[i] = loss
    noGrad(step, x, gradient, config, state)
  end
  return x, losses
end
