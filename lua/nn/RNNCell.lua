--- One step of nn.RNN: x, or {x, h}, to h. See nn.RNNCellBase.
-- @classmod nn.RNNCell
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local RNNCell, parent = torch.class('nn.RNNCell', 'nn.RNNCellBase')
RNNCell.__givesWay, RNNCell.mode = true, 'RNN'

--- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=true] bool bias
-- @tparam[opt='tanh'] string nonlinearity or 'relu'
function RNNCell:__init(inputSize, hiddenSize, bias, nonlinearity)
  self.nonlinearity = check.choice('nn.RNNCell', 'nonlinearity', nonlinearity or 'tanh', { 'tanh', 'relu' })
  parent.__init(self, inputSize, hiddenSize, bias, 1)
end

return require('nn.support.options').install(RNNCell)
