--- Trains with the algorithms of optim.
-- @module torchnet.engine.optimengine
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'
local engine = require 'torchnet.engine'

--- An engine whose steps run an algorithm of optim on the network's flat parameters.
-- @type tnt.OptimEngine
local OptimEngine = torch.class('tnt.OptimEngine', 'tnt.Engine', tnt)

OptimEngine.__init = argcheck { { name = 'self', type = 'tnt.OptimEngine' }, call = engine.begin }

-- Returns the function of loss and gradient for a step. The first call returns the known values; further calls compute them at the point.
local function evaluation(self, state)
  local isThere = true
  return function(point)
    if not isThere then
      if point ~= state.params then state.params:copy(point) end
      engine.gradients(self, state)
    end
    isThere = false
    return state.criterion.output, state.gradParams
  end
end

--- Trains. The state has the fields of tnt.SGDEngine's state, and `optimMethod`, `config`, `optimState`, `params` and `gradParams`.
-- @function train
-- @tparam nn.Module network
-- @tparam nn.Criterion criterion
-- @tparam function|tnt.DatasetIterator iterator called for each epoch; samples are { input =, target = }
-- @tparam[opt=optim.sgd] function optimMethod
-- @tparam[opt={}] table config of the algorithm
-- @int[opt=1000] maxepoch
-- @tparam[opt] table optimState table for the algorithm's state (default: config)
-- @tparam[opt] function paramFun of the network: returns flat parameters and gradients (default getParameters)
OptimEngine.train = argcheck {
  help = 'Trains a network by an algorithm of optim.',
  { name = 'self', type = 'tnt.OptimEngine' }, { name = 'network', type = 'nn.Module' }, { name = 'criterion', type = 'nn.Criterion' },
  { name = 'iterator', help = 'called for each epoch' },
  { name = 'optimMethod', type = 'function', defaultf = function() return require('optim').sgd end, help = 'such as optim.sgd' },
  { name = 'config', type = 'table', defaultf = function() return {} end, help = "the algorithm's" },
  { name = 'maxepoch', type = 'number', default = 1000 }, { name = 'optimState', type = 'table', opt = true },
  { name = 'paramFun', type = 'function', default = function(network) return network:getParameters() end },
  call = function(self, network, criterion, iterator, optimMethod, config, maxepoch, optimState, paramFun)
    local state = {
      network = network, criterion = criterion, iterator = iterator, optimMethod = optimMethod, optim = optimState or config,
      optimState = optimState, config = config, maxepoch = maxepoch,
    }
    state.params, state.gradParams = paramFun(network)
    return engine.train(self, state, function()
      engine.gradients(self, state)
      state.optimMethod(evaluation(self, state), state.params, state.config, state.optimState)
    end)
  end,
}

return { OptimEngine = tnt.OptimEngine }
