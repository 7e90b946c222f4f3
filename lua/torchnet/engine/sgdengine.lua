--- Trains with plain stochastic gradient descent.
-- @module torchnet.engine.sgdengine
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'
local engine = require 'torchnet.engine'

--- An engine whose steps call `updateParameters(lr)` of the network, and of a criterion with parameters.
-- @type tnt.SGDEngine
local SGDEngine = torch.class('tnt.SGDEngine', 'tnt.Engine', tnt)

SGDEngine.__init = argcheck { { name = 'self', type = 'tnt.SGDEngine' }, call = engine.begin }

--- Trains. The state passed to hooks has all arguments, `sample`, `epoch` and `t` (completed epochs and steps) and `training`; hooks may
-- modify it.
-- @function train
-- @tparam nn.Module network
-- @tparam nn.Criterion criterion
-- @tparam function|tnt.DatasetIterator iterator called for each epoch; samples are { input =, target = }
-- @number lr learning rate
-- @number[opt=lr] lrcriterion learning rate of the criterion
-- @int[opt=1000] maxepoch
SGDEngine.train = argcheck {
  help = 'Trains a network.',
  { name = 'self', type = 'tnt.SGDEngine' }, { name = 'network', type = 'nn.Module' }, { name = 'criterion', type = 'nn.Criterion' },
  { name = 'iterator', help = 'called for each epoch' }, { name = 'lr', type = 'number', help = 'learning rate' },
  { name = 'lrcriterion', type = 'number', defaulta = 'lr' }, { name = 'maxepoch', type = 'number', default = 1000 },
  call = function(self, network, criterion, iterator, lr, lrcriterion, maxepoch)
    local state = {
      network = network, criterion = criterion, iterator = iterator, lr = lr, lrcriterion = lrcriterion, maxepoch = maxepoch,
    }
    return engine.train(self, state, function()
      engine.gradients(self, state)
      check.number('tnt.SGDEngine.train', 'lr', state.lr, { min = 0 })
      check.number('tnt.SGDEngine.train', 'lrcriterion', state.lrcriterion, { min = 0 })
      if state.lrcriterion > 0 and state.criterion.updateParameters then state.criterion:updateParameters(state.lrcriterion) end
      if state.lr > 0 then state.network:updateParameters(state.lr) end
    end)
  end,
}

return { SGDEngine = tnt.SGDEngine }
