--- One step of nn.GRU: x, or {x, h}, to h. See nn.RNNCellBase.
-- @classmod nn.GRUCell
local torch = require 'torch'
require 'nn'

local GRUCell, parent = torch.class('nn.GRUCell', 'nn.RNNCellBase')
GRUCell.__givesWay, GRUCell.mode = true, 'GRU'

--- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=true] bool bias
function GRUCell:__init(inputSize, hiddenSize, bias) parent.__init(self, inputSize, hiddenSize, bias, 3) end

return require('nn.support.options').install(GRUCell)
