--- One step of nn.LSTM: x, or {x, h, c}, to {h, c}. See nn.RNNCellBase.
-- @classmod nn.LSTMCell
local torch = require 'torch'
require 'nn'

local LSTMCell, parent = torch.class('nn.LSTMCell', 'nn.RNNCellBase')
LSTMCell.__givesWay, LSTMCell.mode = true, 'LSTM'

--- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=true] bool bias
function LSTMCell:__init(inputSize, hiddenSize, bias) parent.__init(self, inputSize, hiddenSize, bias, 4) end

return require('nn.support.options').install(LSTMCell)
