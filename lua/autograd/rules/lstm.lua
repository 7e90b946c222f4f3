-- Derivatives of a layer of long short-term memory: the tape records the whole layer as one node (nn.recurrent.sequences).
local rules = require 'autograd.rules'

local reason = 'the class LSTM has derivatives'
rules.lstm_layer, rules.lstm_layer_grad = rules.refuse(reason), rules.refuse(reason)
