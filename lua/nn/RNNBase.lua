--- The parent of nn.LSTM, nn.GRU and nn.RNN: layers, directions, states, shapes.
-- A module accepts x (T, N, inputSize), or (T, inputSize), and returns (T, N, directions x size). Given a table {x, state, ...} with
-- initial states (layers x directions, N, size), or {x} to begin with zeros, it returns a table {y, last state, ...}. For nn.LSTM,
-- {x, {h, c}} returns {y, {h, c}}. States of x (T, inputSize) have no dimension N, unless the given ones do.
--
-- Sequences of different lengths: {x, state, ..., lengths = lengths}, with or without states, where lengths (a tensor or a list of N
-- integers, 0 to T, in any order) are the numbers of steps of each sequence; or mask = mask, of sizes (T, N), with batchFirst (N, T), not
-- 0 at used steps. The result is a table, too. Elements of x beyond a length are not read and have gradient 0; the output is 0 there; the
-- last states are those after each sequence's last step, or its initial states if its length is 0. The reverse direction starts at that
-- step. A packed sequence (nn.utils.rnn) as x, or alone, has a packed sequence as y, in a table with the states.
-- @classmod nn.RNNBase
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local byName = require 'nn.support.options'
local parameters, kinds, run = require 'nn.recurrent.parameters', require 'nn.recurrent.kinds', require 'nn.recurrent.stack'

local RNNBase, parent = torch.class('nn.RNNBase', 'nn.Module')
RNNBase.__givesWay = true
RNNBase.takes = 'any'
RNNBase._hasOptions = true
RNNBase.widens = true

function RNNBase:_stateName(field) return parameters.stateName(field) end

--- Weights are drawn from uniform(-1, 1) / sqrt(hiddenSize).
-- @tparam string mode 'LSTM', 'GRU', 'RNN_TANH' or 'RNN_RELU'
-- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=1] int numLayers
-- @tparam[opt=true] bool bias
-- @tparam[opt=false] bool batchFirst x is (N, T, inputSize)
-- @tparam[opt=0] number dropout of the outputs between layers, in training
-- @tparam[opt=false] bool bidirectional
-- @tparam[opt=0] int projSize of LSTM: the size of a learnt projection of h, smaller than hiddenSize; 0 for none
function RNNBase:__init(mode, inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, projSize)
  local name = torch.type(self)
  parent.__init(self)
  self.mode = check.choice(name, 'mode', mode, { 'LSTM', 'GRU', 'RNN_TANH', 'RNN_RELU' })
  self.inputSize = check.int(name, 'inputSize', inputSize, { min = 1 })
  self.size = check.int(name, 'hiddenSize', hiddenSize, { min = 1 })
  self.layers = check.int(name, 'numLayers', numLayers or 1, { min = 1 })
  self.dropout = check.number(name, 'dropout', dropout or 0, { min = 0, max = 1 })
  self.projSize = check.int(name, 'projSize', projSize or 0, { min = 0, max = mode == 'LSTM' and hiddenSize - 1 or 0 })
  self.hiddenSize, self.numLayers, self.bidirectional = self.size, self.layers, bidirectional and true or false
  self.directions, self.batchFirst, self.train = bidirectional and 2 or 1, batchFirst and true or false, true
  self.parameterNames = {}
  parameters.declare(self, kinds[mode].gates, bias ~= false)
  self:reset()
end

--- Draws all parameters from uniform(-bound, bound).
-- @tparam[opt] number bound by default 1 / sqrt(hiddenSize)
function RNNBase:reset(bound) parameters.draw(self, bound) end

function RNNBase:compute(input) return (run(self, kinds.of(self), input)) end

--- Does nothing: the parameters need no order in memory. Programs for PyTorch call it.
-- @treturn nn.Module self
function RNNBase:flattenParameters() return self end

--- Returns the parameters of each layer and direction: lists of weights and biases.
-- @treturn {{torch.Tensor,...},...}
function RNNBase:allWeights()
  local all = {}
  for layer = 1, self.layers do
    for direction = 1, self.directions do all[#all + 1] = parameters.listOf(self, layer, direction) end
  end
  return all
end

function RNNBase:__tostring__()
  local layers = self.layers > 1 and (', %d layers'):format(self.layers) or ''
  local directions = self.directions == 2 and ', both directions' or ''
  local projection = (self.projSize or 0) > 0 and (', projected to %d'):format(self.projSize) or ''
  return ('%s(%d -> %d%s%s%s)'):format(torch.type(self), self.inputSize, self.size, layers, directions, projection)
end

return byName.install(RNNBase)
