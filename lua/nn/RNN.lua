--- Layers of plain recurrence over sequences.
-- h = tanh(W x + b + U h + d), or relu with the option nonlinearity = 'relu'. State: h. Shapes, states and lengths: see nn.RNNBase.
-- Source: Elman (1990), "Finding Structure in Time", Cognitive Science 14.
-- @classmod nn.RNN
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local RNN, parent = torch.class('nn.RNN', 'nn.RNNBase')
RNN.__givesWay, RNN.mode = true, 'RNN'

--- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=1] int numLayers
-- @tparam[opt='tanh'] string nonlinearity or 'relu'
-- @tparam[opt=true] bool bias
-- @tparam[opt=false] bool batchFirst x is (N, T, inputSize)
-- @tparam[opt=0] number dropout of the outputs between layers, in training
-- @tparam[opt=false] bool bidirectional
function RNN:__init(inputSize, hiddenSize, numLayers, nonlinearity, bias, batchFirst, dropout, bidirectional)
  local f = check.choice('nn.RNN', 'nonlinearity', nonlinearity or 'tanh', { 'tanh', 'relu' })
  parent.__init(self, 'RNN_' .. f:upper(), inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional)
  self.nonlinearity = f
end

return require('nn.support.options').install(RNN)
