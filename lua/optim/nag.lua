--- Nesterov's accelerated gradient: the gradient at the point that the momentum step reaches.
-- Source: Sutskever et al. (2013), "On the importance of initialization and momentum in deep learning", ICML, equations 3 and 4.
-- @module optim.nag
local torch = require 'torch'
local noGrad = require('autograd.mode').noGrad
local begin, masters = require 'optim.begin', require 'optim.masters'
local lists = require 'optim.lists'

local function step(x, gradient, config, state)
  local decay = config.weightDecay or 0
  if decay ~= 0 then gradient:add(decay, x) end
  local rate = (config.learningRate or 1e-3) / (1 + state.evalCounter * (config.learningRateDecay or 0))
  if state.dfdx then
    state.dfdx:mul(config.momentum or 0.9)
  else
    state.dfdx = gradient.new():resizeAs(gradient):zero()
  end
  local change = gradient
  if config.learningRates then
    state.deltaParameters = state.deltaParameters or x.new():resizeAs(gradient)
    change = torch.cmul(state.deltaParameters, state.deltaParameters:copy(config.learningRates), gradient)
  end
  x:add(-rate, change)
  state.dfdx:add(-rate, change)
end

--- One step: x += momentum buffer; g = df/dx + weightDecay x there; buffer = momentum buffer - rate g; x -= rate g, where
-- rate = learningRate / (1 + evalCounter learningRateDecay).
-- @tparam function opfunc x -> loss, gradient
-- @tparam torch.Tensor x changed in place
-- @tparam[opt] table config `learningRate` (1e-3), `learningRateDecay` (0), `weightDecay` (0), `momentum` (0.9), `learningRates` (vector
--   of factors of the rate)
-- @tparam[opt=config] table state has `evalCounter`, the buffer `dfdx`, `deltaParameters`
-- @return x
-- @treturn {number} the loss at the point of the gradient
-- @raise if momentum is not positive
return function(opfunc, x, config, state)
  if masters.wanted(x, config) then return masters.step('optim.nag', opfunc, x, config, state) end
  config, state = begin.call('optim.nag', config, state, 'evalCounter')
  local momentum = config.momentum or 0.9
  if momentum <= 0 then error('optim.nag: config: momentum: Momentum must be positive for Nesterov Accelerated Gradient', 2) end
  if state.dfdx then noGrad(x.add, x, momentum, state.dfdx) end
  local loss, gradient = lists.evaluate('optim.nag', opfunc, x)
  noGrad(step, x, gradient, config, state)
  state.evalCounter = state.evalCounter + 1
  return x, { loss }
end
