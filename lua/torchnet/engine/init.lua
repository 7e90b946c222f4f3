--- Trains and tests networks, and calls a program's hooks.
-- @module torchnet.engine
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

--- The table `hooks` has a function of the state for each name, which does nothing by default. A program sets its own:
-- `engine.hooks.onSample = function(state) ... end`. An engine calls `self.hooks(name, state)`.
-- @type tnt.Engine
local Engine = torch.class('tnt.Engine', tnt)

local function nothing() end

local function hooksOf(names)
  local functions = {}
  for _, name in ipairs(names) do functions[name] = nothing end
  local function known(name)
    return functions[name] or check.raise(('unknown hook <%s>, expected one of %s'):format(tostring(name), table.concat(names, ', ')))
  end
  return setmetatable({}, {
    __index = function(_, name) return known(name) end,
    __newindex = function(_, name, f)
      known(name)
      functions[name] = f == nil and nothing or check.callable('tnt.Engine', name, f)
    end,
    __call = function(_, name, ...) return known(name)(...) end,
  })
end

--- @function __init
-- @tparam {string,...} hooks their names
Engine.__init = argcheck {
  help = 'An engine with hooks.',
  { name = 'self', type = 'tnt.Engine' }, { name = 'hooks', type = 'table', help = 'list of names' },
  call = function(self, hooks) self.hooks = hooksOf(hooks) end,
}

local order = {
  'onStart', 'onStartEpoch', 'onSample', 'onForward', 'onForwardCriterion', 'onBackwardCriterion', 'onBackward', 'onUpdate', 'onEndEpoch',
  'onEnd',
}

-- An engine's hooks, in the order in which a step calls them.
local function begin(self) torch.getmetatable('tnt.Engine').__init(self, order) end

-- The training loop: passes over the iterator's samples, with `step(state)` between `onSample` and `onUpdate`.
local function train(self, state, step)
  state.sample, state.epoch, state.t, state.training = {}, 0, 0, true
  self.hooks('onStart', state)
  while state.epoch < state.maxepoch do
    state.network:training()
    self.hooks('onStartEpoch', state)
    for sample in state.iterator() do
      state.sample = sample
      self.hooks('onSample', state)
      step(state)
      state.t = state.t + 1
      self.hooks('onUpdate', state)
    end
    state.epoch = state.epoch + 1
    self.hooks('onEndEpoch', state)
  end
  self.hooks('onEnd', state)
  return state
end

-- Forward and backward pass on the state's sample.
local function gradients(self, state)
  local network, criterion, sample = state.network, state.criterion, state.sample
  network:forward(sample.input)
  self.hooks('onForward', state)
  criterion:forward(network.output, sample.target)
  self.hooks('onForwardCriterion', state)
  network:zeroGradParameters()
  if criterion.zeroGradParameters then criterion:zeroGradParameters() end
  criterion:backward(network.output, sample.target)
  self.hooks('onBackwardCriterion', state)
  network:backward(sample.input, criterion.gradInput)
  self.hooks('onBackward', state)
end

--- Runs the network over an iterator without training; calls the hooks onStart, onSample, onForward, onForwardCriterion and onEnd.
-- @function test
-- @tparam nn.Module network
-- @tparam function|tnt.DatasetIterator iterator
-- @tparam[opt] nn.Criterion criterion
Engine.test = argcheck {
  help = 'Goes through an iterator without learning.',
  { name = 'self', type = 'tnt.Engine' }, { name = 'network', type = 'nn.Module' }, { name = 'iterator' },
  { name = 'criterion', type = 'nn.Criterion', opt = true },
  call = function(self, network, iterator, criterion)
    local state = { network = network, iterator = iterator, criterion = criterion, sample = {}, t = 0, training = false }
    self.hooks('onStart', state)
    state.network:evaluate()
    for sample in state.iterator() do
      state.sample = sample
      self.hooks('onSample', state)
      state.network:forward(sample.input)
      self.hooks('onForward', state)
      if state.criterion then
        state.criterion:forward(state.network.output, sample.target)
        self.hooks('onForwardCriterion', state)
      end
      state.t = state.t + 1
    end
    self.hooks('onEnd', state)
    return state
  end,
}

return { Engine = tnt.Engine, begin = begin, train = train, gradients = gradients }
