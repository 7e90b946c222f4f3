--- The common part of nn.LSTM, nn.GRU and nn.RNN: layers, directions, states, shapes.
-- A module accepts x (T, N, inputSize), or (T, inputSize), and returns (T, N, directions x size). Given a table {x, state, ...} with
-- initial states (layers x directions, N, size), it returns a table {y, last state, ...}. Weights are drawn from uniform(-1, 1) /
-- sqrt(size).
--
-- Sequences of different lengths: {x, state, ..., lengths = lengths}, with or without states, where lengths (a tensor or a list of N
-- integers, 0 to T, in any order) are the numbers of steps of each sequence; or mask = mask, of sizes (T, N), with batchFirst (N, T), not
-- 0 at used steps. The result is a table, too. Elements of x beyond a length are not read and have gradient 0; the output is 0 there; the
-- last states are those after each sequence's last step, or its initial states if its length is 0. The reverse direction starts at that
-- step.
-- @module nn.recurrent.layers
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local byName = require 'nn.support.options'
local parameters, run = require 'nn.recurrent.parameters', require 'nn.recurrent.stack'

--- Creates such a class.
-- @tparam string name of the class
-- @tparam int gates number of parts of the weights
-- @tparam int states their number
-- @tparam function sequence (module, x, list of states, parameters by kind (nn.recurrent.parameters), reverse) -> y, states...
-- @tparam[opt=false] bool choosesFunction whether there is an option nonlinearity, 'tanh' or 'relu'
-- @treturn table the class
return function(name, gates, states, sequence, choosesFunction)
  local Layers, parent = torch.class(name, 'nn.Module')
  local kind = { name = name, states = states, sequence = sequence }
  Layers.__givesWay = true
  Layers.takes = 'any'
  Layers.widens = true
  function Layers:_stateName(field) return parameters.stateName(field) end

  --- @tparam int inputSize
  -- @tparam int size of the state
  -- @tparam[opt] table options layers (1), bidirectional (false), batchFirst (false: x is (T, N, in); true: (N, T, in)), dropout (0,
  --   between layers in training), bias (true); for nn.RNN also nonlinearity ('tanh' or 'relu')
  function Layers:__init(inputSize, size, options)
    options = byName.read(name, options, {
      'layers', 'bidirectional', 'batchFirst', 'dropout', 'bias', choosesFunction and 'nonlinearity' or nil,
    })
    parent.__init(self)
    self.inputSize = check.int(name, 'inputSize', inputSize, { min = 1 })
    self.size = check.int(name, 'size', size, { min = 1 })
    self.layers = check.int(name, 'layers', options.layers or 1, { min = 1 })
    self.dropout = check.number(name, 'dropout', options.dropout or 0, { min = 0, max = 1 })
    self.directions, self.batchFirst, self.train = options.bidirectional and 2 or 1, options.batchFirst or false, true
    self.nonlinearity = options.nonlinearity and check.choice(name, 'nonlinearity', options.nonlinearity, { 'tanh', 'relu' })
    self.parameterNames = {}
    parameters.declare(self, inputSize, size, gates, options.bias ~= false)
    self:reset()
  end

  --- Draws all parameters from uniform(-bound, bound).
  -- @tparam[opt] number bound by default 1 / sqrt(size)
  function Layers:reset(bound)
    bound = check.number(torch.type(self), 'bound', bound or 1 / math.sqrt(self.size))
    for _, parameter in ipairs((self:parameters())) do torch.noGrad(parameter.uniform, parameter, -bound, bound) end
  end

  function Layers:compute(input) return (run(self, kind, input)) end

  function Layers:__tostring__()
    local layers = self.layers > 1 and (', %d layers'):format(self.layers) or ''
    local directions = self.directions == 2 and ', both directions' or ''
    return ('%s(%d -> %d%s%s)'):format(torch.type(self), self.inputSize, self.size, layers, directions)
  end

  return byName.install(Layers)
end
