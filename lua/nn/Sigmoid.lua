--- 1 / (1 + exp(-x)), elementwise, any shape.
-- @classmod nn.Sigmoid
local torch = require 'torch'
local nn = require 'nn'
local _ = nn.Module

local Sigmoid = torch.class('nn.Sigmoid', 'nn.Module')

function Sigmoid:compute(input)
  return torch.sigmoid(input)
end

return Sigmoid
